// Decodes a tool part of a UI message into canonical parts: the call, the approval request and response, and the
// result. The call stores the display fields `title`, `toolMetadata` and `dynamic`.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { decodeProviderOptions, storeSharedForm } from "../ai-sdk/provider-options.ts";
import { decodeOutputContent, DEFAULT_DENIAL, MODEL_DIALECT } from "../ai-sdk/tool-output.ts";
import { decodeInput } from "../ai-sdk/tool-calls.ts";
import type { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";

/** The canonical parts of a tool part: those of the assistant message, and those of the tool message after it. */
export interface DecodedTool {
  assistantParts: Part[];
  results: Part[];
}

const STATES: ReadonlySet<unknown> = new Set([
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
]);
/** Display fields of a tool, each with the check of its type. */
const DISPLAY_FIELD_CHECKS = { title: (value: unknown) => typeof value === "string", toolMetadata: isObject } as const;

function isState(state: JsonValue | undefined): state is string {
  return STATES.has(state);
}

function readToolName({ type, toolName }: JsonObject): string | undefined {
  if (type === "dynamic-tool") return typeof toolName === "string" ? toolName : undefined;
  return typeof type === "string" && type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}

/** Decodes a tool part; undefined for other parts, and if a field that the state requires is missing. */
export function decodeTool(wire: JsonObject, calls: ToolCallIds, context: DecodeContext): DecodedTool | undefined {
  const toolName = readToolName(wire);
  const { toolCallId, state, providerExecuted } = wire;
  if (toolName === undefined || typeof toolCallId !== "string" || !isState(state)) return undefined;
  if (state === "output-error" && typeof wire["errorText"] !== "string") return undefined;
  const { dialect } = context;
  const call: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
  const known = new Set(["type", "toolCallId", "state"]);
  if (wire["type"] === "dynamic-tool") known.add("toolName");
  if (providerExecuted === true) {
    call.executor = "provider";
    known.add("providerExecuted");
  }
  calls.add(call, toolCallId);
  decodeCallInput(call, wire, known, dialect);
  storeDisplayFields(call, wire, known);
  if (decodeProviderOptions(call, wire["callProviderMetadata"])) known.add("callProviderMetadata");
  const approvals = decodeApproval(call, wire["approval"], dialect);
  if (approvals !== undefined) known.add("approval");
  const isOutput = state.startsWith("output-");
  if (!isOutput && state !== toCallState(call, approvals)) storeForm(call, dialect, "state", state);
  const result = decodeToolResult(call, wire, approvals?.response, known, context);
  storeResidue(call, dialect, unknownFields(wire, known));
  const isProvider = call.executor === "provider";
  return {
    assistantParts: [call, ...toList(approvals?.request), ...toList(isProvider ? result : undefined)],
    results: [...toList(approvals?.response), ...toList(isProvider ? undefined : result)],
  };
}

function toList(part: Part | undefined): Part[] {
  return part === undefined ? [] : [part];
}

/** Returns the wire state of a call that has no result. */
export function toCallState({ invalid }: ToolCallPart, approvals: Partial<ToolApproval> | undefined): string {
  if (approvals?.response !== undefined) return "approval-responded";
  if (approvals?.request !== undefined) return "approval-requested";
  return invalid === true ? "input-streaming" : "input-available";
}

/** Decodes the input. A call whose input is still streaming is marked as invalid, so that it is not executed. */
function decodeCallInput(call: ToolCallPart, wire: JsonObject, known: Set<string>, dialect: string): void {
  const { input, rawInput, state } = wire;
  known.add("input");
  if (state !== "input-streaming") {
    decodeInput(call, wire, "input", dialect);
    return;
  }
  call.invalid = true;
  if (typeof rawInput === "string") {
    known.add("rawInput");
    if (wire["inputEncoding"] === "text") {
      call.format = "text";
      known.add("inputEncoding");
    }
    call.inputText = rawInput;
    call.input = rawInput;
    if (input === undefined) return;
    if (input === rawInput) storeForm(call, dialect, "input", "both");
    copyField(wire, "input", call);
  } else decodeInput(call, wire, "input", dialect);
}

function storeDisplayFields(call: ToolCallPart, wire: JsonObject, known: Set<string>): void {
  const displayFields: JsonObject = {};
  if (wire["type"] === "dynamic-tool") displayFields["dynamic"] = true;
  for (const field of ["title", "toolMetadata"] as const) {
    if (!DISPLAY_FIELD_CHECKS[field](wire[field])) continue;
    copyField(wire, field, displayFields);
    known.add(field);
  }
  if (Object.keys(displayFields).length > 0) storeSharedForm(call, "tool", displayFields);
}

interface ToolApproval {
  request: Part;
  response?: Part;
}

/** The approval fields of a request in UI messages, with their names in model messages. */
export const REQUEST_FIELDS = [
  ["id", "approvalId"],
  ["requestReason", "reason"],
  ["descriptor", "approvalDescriptor"],
  ["isAutomatic", "isAutomatic"],
  ["signature", "signature"],
  ["inputSchemaInput", "inputSchemaInput"],
] as const;
/** The approval fields of a response in UI messages, with their names in model messages. */
export const RESPONSE_FIELDS = [
  ["approved", "approved"],
  ["reason", "reason"],
] as const;
const FIELD_TYPES: Readonly<Record<string, string>> = {
  requestReason: "string",
  reason: "string",
  isAutomatic: "boolean",
  signature: "string",
};

/**
 * Decodes the approval of a call as the request and response parts that model messages have; undefined if it has no id.
 */
function decodeApproval(call: ToolCallPart, wire: JsonValue | undefined, dialect: string): ToolApproval | undefined {
  if (!isObject(wire) || typeof wire["id"] !== "string") return undefined;
  const known = new Set<string>();
  const copyApprovalField = (value: JsonObject, [field, name]: readonly [string, string]): void => {
    const hasWrongType = FIELD_TYPES[field] !== undefined && typeof wire[field] !== FIELD_TYPES[field];
    if (wire[field] === undefined || hasWrongType) return;
    copyField(wire, field, value, name);
    known.add(field);
  };
  const request: JsonObject = { type: "tool-approval-request", toolCallId: call.toolCallId };
  for (const row of REQUEST_FIELDS) copyApprovalField(request, row);
  const approvals: ToolApproval = { request: { type: "opaque", dialect: MODEL_DIALECT, value: request } };
  if (typeof wire["approved"] === "boolean") {
    const response: JsonObject = { type: "tool-approval-response", approvalId: wire["id"] };
    for (const row of RESPONSE_FIELDS) copyApprovalField(response, row);
    if (call.executor === "provider") response["providerExecuted"] = true;
    approvals.response = { type: "opaque", dialect: MODEL_DIALECT, value: response };
  }
  storeResidue(call, dialect, unknownFields(wire, known), "approval");
  return approvals;
}

/** Decodes the result of a call; undefined if the call has no output yet. A denied call has an error result. */
function decodeToolResult(
  call: ToolCallPart,
  wire: JsonObject,
  response: Part | undefined,
  known: Set<string>,
  context: DecodeContext,
): ToolResultPart | undefined {
  const { dialect } = context;
  const { state } = wire;
  const { toolCallId, toolName, executor } = call;
  if (state !== "output-available" && state !== "output-error" && state !== "output-denied") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName, isError: state !== "output-available" };
  if (executor !== undefined) part.executor = executor;
  if (state === "output-denied") {
    Object.assign(part, createDeniedResult(readDenialReason(response), dialect));
  } else if (state === "output-error") {
    copyField(wire, "errorText", part, "output");
    known.add("errorText");
  } else {
    known.add("output");
    decodeUiOutput(part, wire, context);
    if (wire["preliminary"] !== undefined) {
      const preliminary: JsonObject = {};
      copyField(wire, "preliminary", preliminary);
      storeResidue(part, dialect, preliminary);
      known.add("preliminary");
    }
  }
  if (decodeProviderOptions(part, wire["resultProviderMetadata"])) known.add("resultProviderMetadata");
  return part;
}

/** Returns the result fields of a denied call; without a reason, the output is the AI SDK's default text. */
export function createDeniedResult(
  reason: string | undefined,
  dialect: string,
): Pick<ToolResultPart, "isError" | "output" | "extra"> {
  const result: Pick<ToolResultPart, "isError" | "output" | "extra"> = {
    isError: true,
    output: reason ?? DEFAULT_DENIAL,
  };
  storeForm(result, dialect, "state", "output-denied");
  return result;
}

/** Returns the reason in an approval response; undefined if there is no response or no reason. */
export function readDenialReason(response: Part | undefined): string | undefined {
  const value = response?.type === "opaque" ? response.value : undefined;
  const reason = isObject(value) ? value["reason"] : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** Decodes an output. `{ type: "content", value: […] }` is the content of model messages and becomes content parts. */
export function decodeUiOutput(part: ToolResultPart, wire: JsonObject, context: DecodeContext): void {
  const { output } = wire;
  if (output === undefined) {
    storeForm(part, context.dialect, "output", "absent");
    return;
  }
  if (isObject(output) && output["type"] === "content" && Object.keys(output).length === 2) {
    const { value } = output;
    if (Array.isArray(value) && value.every(isObject)) {
      part.content = decodeOutputContent(value, context);
      return;
    }
  }
  copyField(wire, "output", part);
}
