// What a tool result says in the AI SDK's prompts: a text or a JSON value, either of which may be an error; that running
// it was denied; or content, a list of texts and files.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, TextPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import type { FileLoss } from "./ai-sdk-files.ts";
import { decodeFile, decodeLegacyFile, encodeFile } from "./ai-sdk-files.ts";
import { decodeOptions, encodeOptions, reportOthers } from "./ai-sdk-options.ts";
import { copyField, isObject, unknownFields } from "./read.ts";
import { readForm, storeResidue, storeForm, reportUnsupportedFields, restoreResidue } from "./residue.ts";
import { outputText } from "./results.ts";

type ContentLoss = FileLoss | "output-in-content" | "output-as-text" | "part-unsayable" | "opaque-foreign";
type OutputLoss = ContentLoss | "error-unsaid" | "result-empty";

/** The dialect that parts of prompts belong to, also where the other of the SDK's shapes holds them. */
export const MODEL = "ai-sdk-model";

/** What the SDK tells a model where nobody said why its call was denied. */
export const DENIED = "Tool call execution denied.";

/** Fills in what a result says; false where the output cannot be read. */
export function decodeOutput(part: ToolResultPart, wire: JsonObject, context: DecodeContext): boolean {
  const { dialect } = context;
  const { type, value } = wire;
  part.isError = type === "error-text" || type === "error-json" || type === "execution-denied";
  if (type === "content") {
    if (!Array.isArray(value) || !value.every(isObject)) return false;
    part.content = decodeContent(value, context);
  } else if (type === "execution-denied") {
    const { reason } = wire;
    if (reason !== undefined && typeof reason !== "string") return false;
    part.output = reason ?? DENIED;
    storeForm(part, dialect, "output", type);
    if (reason === undefined) storeForm(part, dialect, "reason", null);
  } else if (type === "text" || type === "error-text") {
    if (typeof value !== "string") return false;
    part.output = value;
  } else if (type === "json" || type === "error-json") {
    if (value === undefined) return false;
    copyField(wire, "value", part, "output");
    if (typeof value === "string") storeForm(part, dialect, "output", type);
  } else return false;
  storeResidue(part, dialect, unknownFields(wire, type === "execution-denied" ? DENIAL : VALUE), "output");
  return true;
}

const VALUE: ReadonlySet<string> = new Set(["type", "value"]);
const DENIAL: ReadonlySet<string> = new Set(["type", "reason"]);
const TEXT: ReadonlySet<string> = new Set(["type", "text"]);

/** The parts of a content. */
export function decodeContent(list: readonly JsonObject[], context: DecodeContext): Part[] {
  return list.map((wire) => decodeEntry(wire, context) ?? { type: "opaque", dialect: MODEL, value: wire });
}

function decodeEntry(wire: JsonObject, context: DecodeContext): Part | undefined {
  if (wire["type"] === "file") return decodeFile(wire, context, true);
  if (wire["type"] !== "text") return decodeLegacyFile(wire, context);
  if (typeof wire["text"] !== "string") return undefined;
  const part: TextPart = { type: "text", text: wire["text"] };
  const known = decodeOptions(part, wire["providerOptions"]) ? new Set([...TEXT, "providerOptions"]) : TEXT;
  storeResidue(part, context.dialect, unknownFields(wire, known));
  return part;
}

/** The output of a result. */
export function encodeOutput(part: ToolResultPart, context: EncodeContext<OutputLoss>): JsonObject {
  const { dialect, report } = context;
  const { isError, output, content } = part;
  const form = readForm(part, dialect);
  const spelled = form["output"];
  let wire: JsonObject = {};
  if (content !== undefined) {
    if (isError) report.addLoss("error-unsaid", "isError");
    wire = { type: "content", value: encodeContent(part, context) };
  } else if (output === undefined) {
    report.addLoss("result-empty", "output");
    wire = { type: isError ? "error-text" : "text", value: "" };
  } else if (typeof output === "string" && spelled === "execution-denied" && isError) {
    wire = form["reason"] === null && output === DENIED ? { type: spelled } : { type: spelled, reason: output };
  } else {
    const isText = typeof output === "string" && spelled !== "json" && spelled !== "error-json";
    wire = { type: (isError ? "error-" : "") + (isText ? "text" : "json") };
    copyField(part, "output", wire, "value");
  }
  return wire;
}

/** The content of a result as a list of entries; its output, if there is one, comes first. */
export function encodeContent(part: ToolResultPart, context: EncodeContext<ContentLoss>): JsonValue[] {
  const entries: JsonValue[] = [];
  if (part.output !== undefined) {
    context.report.addLoss(typeof part.output === "string" ? "output-in-content" : "output-as-text", "output");
    entries.push({ type: "text", text: outputText(part) });
  }
  context.pathTracker.each("content", part.content ?? [], (each) => {
    const wire = encodeEntry(each, context);
    if (wire !== undefined) entries.push(wire);
  });
  return entries;
}

const CARRIED: ReadonlySet<string> = new Set(["type", "text", "extra", "cache", "seals"]);
const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

function encodeEntry(part: Part, context: EncodeContext<ContentLoss>): JsonObject | undefined {
  switch (part.type) {
    case "text": {
      reportUnsupportedFields(part, CARRIED, context, "field-unsaid");
      reportOthers(part, context);
      const wire: JsonObject = { type: "text", text: part.text };
      const options = encodeOptions(part, context);
      if (options !== undefined) wire["providerOptions"] = options;
      restoreResidue(wire, part, context);
      return wire;
    }
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeFile(part, context, true);
    case "opaque":
      if (part.dialect === MODEL && isObject(part.value)) {
        reportUnsupportedFields(part, OPAQUE, context, "field-unsaid");
        return part.value;
      }
      context.report.addLoss(part.dialect === MODEL ? "part-unsayable" : "opaque-foreign");
      return undefined;
    default:
      context.report.addLoss("part-unsayable");
      return undefined;
  }
}
