// Decodes and encodes the output of tool results in AI SDK model messages. An output is text or JSON (possibly an
// error), a denial, or content: a list of texts and files.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type { Part, TextPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import type { FileLoss } from "./files.ts";
import { decodeFile, decodeLegacyFile, encodeFile } from "./files.ts";
import { decodeProviderOptions, encodeProviderOptions, reportOtherResidue } from "./provider-options.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm, restoreResidue } from "../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { formatToolOutput } from "../kit/tools/tool-output-text.ts";

type OutputContentLoss = FileLoss | "output-in-content" | "output-as-text" | "part-unsupported" | "opaque-not-portable";
type ToolOutputLoss = OutputContentLoss | "error-flag-unsupported" | "result-empty";

/** The id of the dialect of model messages. Opaque parts of this dialect can also occur in UI messages. */
export const MODEL_DIALECT = "ai-sdk-model";

/** The text that the AI SDK sends to the model for a denial without a reason. */
export const DEFAULT_DENIAL = "Tool call execution denied.";

/** Decodes an output into the result; returns false if the output is malformed or of an unknown type. */
export function decodeToolOutput(part: ToolResultPart, wire: JsonObject, context: DecodeContext): boolean {
  const { dialect } = context;
  const { type, value } = wire;
  part.isError = type === "error-text" || type === "error-json" || type === "execution-denied";
  if (type === "content") {
    if (!Array.isArray(value) || !value.every(isObject)) return false;
    part.content = decodeOutputContent(value, context);
  } else if (type === "execution-denied") {
    const { reason } = wire;
    if (reason !== undefined && typeof reason !== "string") return false;
    part.output = reason ?? DEFAULT_DENIAL;
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
  storeResidue(
    part,
    dialect,
    unknownFields(wire, type === "execution-denied" ? DENIAL_FIELDS : VALUE_FIELDS),
    "output",
  );
  return true;
}

const VALUE_FIELDS: ReadonlySet<string> = new Set(["type", "value"]);
const DENIAL_FIELDS: ReadonlySet<string> = new Set(["type", "reason"]);
const TEXT_ENTRY_FIELDS: ReadonlySet<string> = new Set(["type", "text"]);

/** Decodes the entries of an output of type `content`; an unreadable entry becomes an opaque part. */
export function decodeOutputContent(list: readonly JsonObject[], context: DecodeContext): Part[] {
  return list.map(
    (wire) => decodeContentEntry(wire, context) ?? { type: "opaque", dialect: MODEL_DIALECT, value: wire },
  );
}

function decodeContentEntry(wire: JsonObject, context: DecodeContext): Part | undefined {
  if (wire["type"] === "file") return decodeFile(wire, context, true);
  if (wire["type"] !== "text") return decodeLegacyFile(wire, context);
  if (typeof wire["text"] !== "string") return undefined;
  const part: TextPart = { type: "text", text: wire["text"] };
  const known = decodeProviderOptions(part, wire["providerOptions"])
    ? new Set([...TEXT_ENTRY_FIELDS, "providerOptions"])
    : TEXT_ENTRY_FIELDS;
  storeResidue(part, context.dialect, unknownFields(wire, known));
  return part;
}

export function encodeToolOutput(part: ToolResultPart, context: EncodeContext<ToolOutputLoss>): JsonObject {
  const { dialect, report } = context;
  const { isError, output, content } = part;
  const form = readForm(part, dialect);
  const outputForm = form["output"];
  let wire: JsonObject = {};
  if (content !== undefined) {
    if (isError) report.addLoss("error-flag-unsupported", "isError");
    wire = { type: "content", value: encodeOutputContent(part, context) };
  } else if (output === undefined) {
    report.addLoss("result-empty", "output");
    wire = { type: isError ? "error-text" : "text", value: "" };
  } else if (typeof output === "string" && outputForm === "execution-denied" && isError) {
    wire =
      form["reason"] === null && output === DEFAULT_DENIAL
        ? { type: outputForm }
        : { type: outputForm, reason: output };
  } else {
    const isText = typeof output === "string" && outputForm !== "json" && outputForm !== "error-json";
    wire = { type: (isError ? "error-" : "") + (isText ? "text" : "json") };
    copyField(part, "output", wire, "value");
  }
  return wire;
}

/** Encodes the content of a result as a list of entries; the output, if the result has one, becomes the first entry. */
export function encodeOutputContent(part: ToolResultPart, context: EncodeContext<OutputContentLoss>): JsonValue[] {
  const entries: JsonValue[] = [];
  if (part.output !== undefined) {
    context.report.addLoss(typeof part.output === "string" ? "output-in-content" : "output-as-text", "output");
    entries.push({ type: "text", text: formatToolOutput(part) });
  }
  context.pathTracker.each("content", part.content ?? [], (each) => {
    const wire = encodeContentEntry(each, context);
    if (wire !== undefined) entries.push(wire);
  });
  return entries;
}

const TEXT_PART_FIELDS: ReadonlySet<string> = new Set(["type", "text", "extra", "cache", "seals"]);
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

function encodeContentEntry(part: Part, context: EncodeContext<OutputContentLoss>): JsonObject | undefined {
  if (isMediaPart(part)) return encodeFile(part, context, true);
  switch (part.type) {
    case "text": {
      reportUnsupportedFields(part, TEXT_PART_FIELDS, context, "field-unsupported");
      reportOtherResidue(part, context);
      const wire: JsonObject = { type: "text", text: part.text };
      const options = encodeProviderOptions(part, context);
      if (options !== undefined) wire["providerOptions"] = options;
      restoreResidue(wire, part, context);
      return wire;
    }
    case "opaque":
      if (part.dialect === MODEL_DIALECT && isObject(part.value)) {
        reportUnsupportedFields(part, OPAQUE_FIELDS, context, "field-unsupported");
        return part.value;
      }
      context.report.addLoss(part.dialect === MODEL_DIALECT ? "part-unsupported" : "opaque-not-portable");
      return undefined;
    default:
      context.report.addLoss("part-unsupported");
      return undefined;
  }
}
