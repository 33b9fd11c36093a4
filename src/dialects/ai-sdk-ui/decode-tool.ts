// A tool part of a UI message: a call, what was asked and answered about running it, and what came back. In the model each
// is a part of its own; the call keeps what is shown of them all.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { decodeOptions, markShared } from "../kit/ai-sdk-options.ts";
import { decodeContent, DENIED, MODEL } from "../kit/ai-sdk-output.ts";
import { readInput } from "../kit/ai-sdk-tools.ts";
import type { CallBook } from "../kit/calls.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";

/** What a tool part decodes to: what the assistant said, and what goes into the tool message behind it. */
export interface DecodedTool {
  said: Part[];
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
/** How a tool is shown: fields that both of the SDK's streams have. */
const SHOWN = { title: (value: unknown) => typeof value === "string", toolMetadata: isObject } as const;

function isState(state: JsonValue | undefined): state is string {
  return STATES.has(state);
}

function nameOf({ type, toolName }: JsonObject): string | undefined {
  if (type === "dynamic-tool") return typeof toolName === "string" ? toolName : undefined;
  return typeof type === "string" && type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}

/** The parts of a tool; undefined where it is none, or lacks what its state demands. */
export function decodeTool(wire: JsonObject, calls: CallBook, context: DecodeContext): DecodedTool | undefined {
  const toolName = nameOf(wire);
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
  readCall(call, wire, known, dialect);
  markTool(call, wire, known);
  if (decodeOptions(call, wire["callProviderMetadata"])) known.add("callProviderMetadata");
  const approvals = decodeApproval(call, wire["approval"], dialect);
  if (approvals !== undefined) known.add("approval");
  const isOutput = state.startsWith("output-");
  if (!isOutput && state !== stateOf(call, approvals)) storeForm(call, dialect, "state", state);
  const result = decodeResult(call, wire, approvals?.response, known, context);
  storeResidue(call, dialect, unknownFields(wire, known));
  const isProvider = call.executor === "provider";
  return {
    said: [call, ...listOf(approvals?.request), ...listOf(isProvider ? result : undefined)],
    results: [...listOf(approvals?.response), ...listOf(isProvider ? undefined : result)],
  };
}

function listOf(part: Part | undefined): Part[] {
  return part === undefined ? [] : [part];
}

/** The state of a call that has no result. */
export function stateOf({ invalid }: ToolCallPart, approvals: Partial<Approvals> | undefined): string {
  if (approvals?.response !== undefined) return "approval-responded";
  if (approvals?.request !== undefined) return "approval-requested";
  return invalid === true ? "input-streaming" : "input-available";
}

/** The input. While it streams, its text is there, and what can be read of it: neither is to be executed. */
function readCall(call: ToolCallPart, wire: JsonObject, known: Set<string>, dialect: string): void {
  const { input, rawInput, state } = wire;
  known.add("input");
  if (state !== "input-streaming") {
    readInput(call, wire, "input", dialect);
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
  } else readInput(call, wire, "input", dialect);
}

function markTool(call: ToolCallPart, wire: JsonObject, known: Set<string>): void {
  const shown: JsonObject = {};
  if (wire["type"] === "dynamic-tool") shown["dynamic"] = true;
  for (const field of ["title", "toolMetadata"] as const) {
    if (!SHOWN[field](wire[field])) continue;
    copyField(wire, field, shown);
    known.add(field);
  }
  if (Object.keys(shown).length > 0) markShared(call, "tool", shown);
}

interface Approvals {
  request: Part;
  response?: Part;
}

/** What the approval says of the request, and what prompts call it. */
export const REQUEST = [
  ["id", "approvalId"],
  ["requestReason", "reason"],
  ["descriptor", "approvalDescriptor"],
  ["isAutomatic", "isAutomatic"],
  ["signature", "signature"],
  ["inputSchemaInput", "inputSchemaInput"],
] as const;
export const RESPONSE = [
  ["approved", "approved"],
  ["reason", "reason"],
] as const;
const TYPES: Readonly<Record<string, string>> = {
  requestReason: "string",
  reason: "string",
  isAutomatic: "boolean",
  signature: "string",
};

/** A request for approval and the answer to it, in the form that prompts have them. */
function decodeApproval(call: ToolCallPart, wire: JsonValue | undefined, dialect: string): Approvals | undefined {
  if (!isObject(wire) || typeof wire["id"] !== "string") return undefined;
  const known = new Set<string>();
  const take = (value: JsonObject, [field, name]: readonly [string, string]): void => {
    const isOdd = TYPES[field] !== undefined && typeof wire[field] !== TYPES[field];
    if (wire[field] === undefined || isOdd) return;
    copyField(wire, field, value, name);
    known.add(field);
  };
  const request: JsonObject = { type: "tool-approval-request", toolCallId: call.toolCallId };
  for (const row of REQUEST) take(request, row);
  const approvals: Approvals = { request: { type: "opaque", dialect: MODEL, value: request } };
  if (typeof wire["approved"] === "boolean") {
    const response: JsonObject = { type: "tool-approval-response", approvalId: wire["id"] };
    for (const row of RESPONSE) take(response, row);
    if (call.executor === "provider") response["providerExecuted"] = true;
    approvals.response = { type: "opaque", dialect: MODEL, value: response };
  }
  storeResidue(call, dialect, unknownFields(wire, known), "approval");
  return approvals;
}

/** What came back; a call that was denied got no for an answer. */
function decodeResult(
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
    Object.assign(part, deniedResult(reasonOf(response), dialect));
  } else if (state === "output-error") {
    copyField(wire, "errorText", part, "output");
    known.add("errorText");
  } else {
    known.add("output");
    readOutput(part, wire, context);
    if (wire["preliminary"] !== undefined) {
      const preliminary: JsonObject = {};
      copyField(wire, "preliminary", preliminary);
      storeResidue(part, dialect, preliminary);
      known.add("preliminary");
    }
  }
  if (decodeOptions(part, wire["resultProviderMetadata"])) known.add("resultProviderMetadata");
  return part;
}

/** The result of a call that somebody said no to. */
export function deniedResult(
  reason: string | undefined,
  dialect: string,
): Pick<ToolResultPart, "isError" | "output" | "extra"> {
  const result: Pick<ToolResultPart, "isError" | "output" | "extra"> = { isError: true, output: reason ?? DENIED };
  storeForm(result, dialect, "state", "output-denied");
  return result;
}

/** Why somebody said no. */
export function reasonOf(response: Part | undefined): string | undefined {
  const value = response?.type === "opaque" ? response.value : undefined;
  const reason = isObject(value) ? value["reason"] : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** An output of content is one that prompts know, too: `{ type: "content", value: […] }`. */
export function readOutput(part: ToolResultPart, wire: JsonObject, context: DecodeContext): void {
  const { output } = wire;
  if (output === undefined) {
    storeForm(part, context.dialect, "output", "absent");
    return;
  }
  if (isObject(output) && output["type"] === "content" && Object.keys(output).length === 2) {
    const { value } = output;
    if (Array.isArray(value) && value.every(isObject)) {
      part.content = decodeContent(value, context);
      return;
    }
  }
  copyField(wire, "output", part);
}
