// Decodes and encodes results of functions, whose response is an object, and of tools that Google ran. An output that
// is not an object is wrapped as `{ output }`, an error as `{ error }`.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part, ToolResultPart } from "../../../model/parts.ts";
import { toWireCallId } from "../../kit/tools/tool-call-ids.ts";
import { canSendToolPart } from "../../kit/tools/approvals.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { formatToolOutput } from "../../kit/tools/tool-output-text.ts";
import { CODE_EXECUTION } from "./tool-calls.ts";
import type { GeminiDecodeState } from "./decode-state.ts";
import { storeUnknownFields } from "./decode-state.ts";
import type { GeminiPart } from "../types.ts";
import type { GeminiEncodeState } from "./encode-state.ts";

type GeminiResultField = "functionResponse" | "toolResponse" | "codeExecutionResult";

/** Decodes a part inside a function response. It is passed as a parameter, because decode-part.ts imports this file. */
type GeminiPartDecoder = (wire: JsonObject, state: GeminiDecodeState) => Part;
/** Encodes a part inside a function response. It is passed as a parameter, because encode-part.ts imports this file. */
type GeminiPartEncoder = (part: Part, state: GeminiEncodeState) => GeminiPart | undefined;

function findOnlyKey(value: JsonObject): string | undefined {
  let onlyKey: string | undefined;
  for (const key in value) {
    if (onlyKey !== undefined) return undefined;
    onlyKey = key;
  }
  return onlyKey;
}

/**
 * True if the decoder would read a response as the envelope `{ output }` or `{ error }`. An output object of this shape
 * is wrapped once more when it is encoded, so that it is decoded unchanged.
 */
function isResponseEnvelope(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const key = findOnlyKey(value);
  if (key === "error") return true;
  const inner = key === "output" ? value[key] : undefined;
  return inner !== undefined && (!isObject(inner) || isResponseEnvelope(inner));
}

export function decodeToolResult(
  data: JsonObject,
  key: string,
  state: GeminiDecodeState,
  decodePart: GeminiPartDecoder,
): ToolResultPart {
  const { dialect } = state.context;
  const decodedKeys: string[] = [];
  const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  if (key === "codeExecutionResult") decodeOutcome(data, part, decodedKeys, dialect);
  else {
    const nameField = key === "functionResponse" ? "name" : "toolType";
    const name = data[nameField];
    if (typeof name === "string") {
      decodedKeys.push(nameField);
      part.toolName = key === "functionResponse" ? restoreName(name, state.renames?.toolNames) : name;
    }
    // A missing or empty name is stored as form, because `matchResult` below fills in the name of the call.
    if (part.toolName === "") storeForm(part, dialect, "name", name === "" ? "" : null);
    decodeResponseField(data, part, decodedKeys, dialect);
  }
  if (key !== "functionResponse") Object.assign(part, { executor: "provider", tool: key });
  const { id, parts } = data;
  if (typeof id === "string") decodedKeys.push("id");
  if (key === "functionResponse" && Array.isArray(parts) && parts.every(isObject)) {
    decodedKeys.push("parts");
    part.content = parts.map((each) => decodePart(each, state));
  }
  state.callIds.matchResult(part, typeof id === "string" ? id : undefined);
  storeUnknownFields(part, data, decodedKeys, dialect, key);
  return part;
}

function decodeResponseField(data: JsonObject, part: ToolResultPart, decodedKeys: string[], dialect: string): void {
  const { response } = data;
  if (!isObject(response)) {
    if (response === undefined) storeForm(part, dialect, "response", null);
    return;
  }
  decodedKeys.push("response");
  if (!isResponseEnvelope(response)) part.output = response;
  else {
    const field = findOnlyKey(response) ?? "";
    part.isError = field === "error";
    copyField(response, field, part, "output");
  }
}

/**
 * The wire outcomes that are written by default: first the outcome of a success, then the outcome of a failure. Any
 * other wire outcome is stored as form.
 */
const PLAIN_OUTCOMES = ["OUTCOME_OK", "OUTCOME_FAILED"] as const;

function decodeOutcome(data: JsonObject, part: ToolResultPart, decodedKeys: string[], dialect: string): void {
  const { outcome, output } = data;
  part.toolName = CODE_EXECUTION;
  if (typeof output === "string") {
    decodedKeys.push("output");
    part.output = output;
  }
  if (typeof outcome !== "string") {
    if (outcome === undefined) storeForm(part, dialect, "outcome", null);
    return;
  }
  decodedKeys.push("outcome");
  part.isError = outcome !== PLAIN_OUTCOMES[0];
  if (outcome !== PLAIN_OUTCOMES[Number(part.isError)]) storeForm(part, dialect, "outcome", outcome);
}

const RESULT_FIELDS = ["type", "extra", "seals", "toolCallId", "toolName", "isError", "output", "executor"];
const FUNCTION_RESULT_FIELDS: ReadonlySet<string> = new Set([...RESULT_FIELDS, "content", "format"]);
const HOSTED_RESULT_FIELDS: ReadonlySet<string> = new Set([...RESULT_FIELDS, "tool"]);

function findHostedField({ executor, tool }: ToolResultPart): GeminiResultField | undefined {
  if (executor !== "provider") return undefined;
  return tool === "codeExecutionResult" || tool === "toolResponse" ? tool : undefined;
}

/** Returns the wire field and its value; undefined if the result is dropped, which is reported. */
export function encodeToolResult(
  part: ToolResultPart,
  state: GeminiEncodeState,
  encodePart: GeminiPartEncoder,
): [key: GeminiResultField, data: JsonObject] | undefined {
  const { context, renameTable, encodedCalls } = state;
  const hostedField = findHostedField(part);
  if (hostedField === undefined && !canSendToolPart(part, context)) return undefined;
  const supported = hostedField === undefined ? FUNCTION_RESULT_FIELDS : HOSTED_RESULT_FIELDS;
  reportUnsupportedFields(part, supported, context, "field-unsupported", { cache: "metadata-dropped" });
  const form = readForm(part, context.dialect);
  const call = encodedCalls.get(part.toolCallId);
  const data: JsonObject = {};
  // A result has no id on the wire if its call had none, unless the result itself was decoded with an id.
  const id =
    call !== undefined && call.id === undefined && form["id"] === undefined
      ? undefined
      : toWireCallId(part, renameTable, context);
  if (id !== undefined) data["id"] = id;
  if (hostedField === "codeExecutionResult") {
    encodeOutcome(part, form, data, context.dialect);
    return [hostedField, data];
  }
  // A result without a name gets the name of its call (B29).
  const name = part.toolName === "" ? (call?.name ?? "") : part.toolName;
  if (form["name"] === undefined)
    data[hostedField === undefined ? "name" : "toolType"] = hostedField ? name : renameTable.encodeToolName(name);
  else if (form["name"] === "") data[hostedField === undefined ? "name" : "toolType"] = "";
  if (hostedField !== undefined) encodeResponseField(part, form, data, [], hostedField, state);
  else {
    const { texts, parts } = encodeResultContent(part, state, encodePart);
    encodeResponseField(part, form, data, texts, "functionResponse", state);
    if (parts !== undefined) data["parts"] = parts;
  }
  return [hostedField ?? "functionResponse", data];
}

function encodeOutcome(part: ToolResultPart, form: JsonObject, data: JsonObject, dialect: string): void {
  const { outcome } = form;
  const residue = part.extra?.[dialect]?.["codeExecutionResult"];
  const hasOutcomeResidue = isObject(residue) && Object.hasOwn(residue, "outcome");
  if (typeof outcome === "string" && part.isError) data["outcome"] = outcome;
  else if (part.isError || (outcome !== null && !hasOutcomeResidue))
    data["outcome"] = PLAIN_OUTCOMES[Number(part.isError)] ?? "";
  if (part.output !== undefined) data["output"] = formatToolOutput(part);
}

function encodeResponseField(
  part: ToolResultPart,
  form: JsonObject,
  data: JsonObject,
  texts: readonly string[],
  key: string,
  { context }: GeminiEncodeState,
): void {
  const { output, isError } = part;
  const field = isError ? "error" : "output";
  if (texts.length > 0) {
    if (output !== undefined && typeof output !== "string") context.report.addLoss("output-as-text", "output");
    data["response"] = { [field]: [...(output === undefined ? [] : [formatToolOutput(part)]), ...texts].join("\n") };
  } else if (output === undefined) {
    const residue = part.extra?.[context.dialect]?.[key];
    if (!isError && (form["response"] === null || (isObject(residue) && Object.hasOwn(residue, "response")))) return;
    context.report.addLoss("result-empty", "output");
    data["response"] = { [field]: "" };
  } else if (!isError && isObject(output) && !isResponseEnvelope(output)) data["response"] = output;
  else {
    const response: JsonObject = (data["response"] = {});
    copyField(part, "output", response, field);
  }
}

/** Encodes the content of a result. Texts become part of the output, media become `parts` (B45). */
function encodeResultContent(
  part: ToolResultPart,
  state: GeminiEncodeState,
  encodePart: GeminiPartEncoder,
): { texts: string[]; parts: GeminiPart[] | undefined } {
  const { context, movedMedia } = state;
  const texts: string[] = [];
  let parts: GeminiPart[] | undefined = part.content?.length === 0 ? [] : undefined;
  context.pathTracker.each("content", part.content ?? [], (contentPart) => {
    if (/^(?:tool-|reas)/.test(contentPart.type)) {
      context.report.addLoss("part-unsupported");
      return;
    }
    const wire = encodePart(contentPart, state);
    if (wire === undefined) return;
    if (contentPart.type === "text" || contentPart.type === "refusal") {
      texts.push(contentPart.text);
      context.report.addLoss("result-text-joined");
    } else if (movedMedia === undefined || contentPart.type === "opaque") (parts ??= []).push(wire);
    else {
      movedMedia.push(wire);
      context.report.addLoss("media-moved");
    }
  });
  return { texts, parts };
}
