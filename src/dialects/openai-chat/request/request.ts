// Decodes and encodes Chat Completions requests.
import { REQUEST_FIELDS } from "../../kit/fields/supported-fields.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { ModelRequest } from "../../../model/request.ts";
import type { RequestEnvelope, DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../../dialect.ts";
import type { HistoryRules } from "../../kit/history/prepare-history.ts";
import { prepareHistory } from "../../kit/history/prepare-history.ts";
import { fitMetadata } from "../../openai/metadata.ts";
import { restoreSiblingFields, SHARED_SETTINGS } from "../../openai/sibling-residue.ts";
import { STORED_CONTEXT } from "../../kit/losses/stored-context.ts";
import { isObject, readList, readMessageList, readObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { decodeHistory } from "../messages/decode-message.ts";
import { encodeHistory } from "../messages/encode-message.ts";
import type { ChatLossCode } from "../losses.ts";
import { collectField, createDecodeState } from "../decode-state.ts";
import { decodeOutput, decodeSampling, encodeOutput, encodeSampling, FORMAT_FIELDS } from "./settings.ts";
import { encodeChoice, decodeChoice, decodeTools, encodeTools } from "./tools.ts";
import { isOpenAi, isOpenAiOrUnknown } from "../vendors.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readFormValue, createEncodeState } from "../encode-state.ts";

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  if (key !== undefined) context.pathTracker.enter(key);
  return decodeHistory(list, createDecodeState(context));
}

export function decodeRequest(value: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const list = readList(wire["messages"], context, "messages");
  context.pathTracker.enter("messages");
  const messages = decodeHistory(list, createDecodeState(context));
  context.pathTracker.leave();
  const request: ModelRequest = { messages };
  const last = messages.at(-1);
  // The form states that the assistant message at the end comes from a Chat request. The encoder then does not report
  // it as a prefill (text that the answer continues), because the client expects Chat's behavior (B36).
  if (last?.role === "assistant") storeForm(last, context.dialect, PREFILL_FORM, "own");
  let rest: JsonObject | undefined;
  for (const key in wire) {
    if (key !== "messages" && !decodeField(wire, key, request, context)) rest = collectField(rest, wire, key);
  }
  for (const key of ["tool_choice", "function_call"]) {
    if (wire[key] !== undefined && !decodeToolChoice(wire[key], key, request, context))
      rest = collectField(rest, wire, key);
  }
  storeResidue(request, context.dialect, rest);
  applyEnvelope(request, address, context);
  return request;
}

/** Decodes one field of the request. Returns false if the field becomes residue. */
function decodeField(wire: JsonObject, key: string, request: ModelRequest, context: DecodeContext): boolean {
  const value = wire[key];
  if (value === undefined) return true;
  switch (key) {
    case "model":
      if (typeof value === "string") request.model = value;
      return typeof value === "string";
    case "stream":
      if (typeof value === "boolean") request.stream = value;
      return typeof value === "boolean";
    case "parallel_tool_calls":
      if (typeof value === "boolean") request.parallelToolCalls = value;
      return typeof value === "boolean";
    case "metadata":
      if (isObject(value)) request.metadata = value;
      return isObject(value);
    case "reasoning_effort":
      if (typeof value === "string") request.reasoning = { effort: value };
      return typeof value === "string";
    case "tools":
    case "functions":
      return Array.isArray(value) && addTools(value, key, wire, request, context);
    case "tool_choice":
    case "function_call":
      // `decodeRequest` decodes both fields after all others, because a tool choice depends on the tools.
      return true;
    case "response_format":
      return decodeOutput(value, request, context);
    default:
      return decodeSampling(wire, key, request, context);
  }
}

function addTools(
  list: readonly JsonValue[],
  field: "tools" | "functions",
  wire: JsonObject,
  request: ModelRequest,
  context: DecodeContext,
): boolean {
  const other = wire[field === "tools" ? "functions" : "tools"];
  // An empty list is decoded only if it is `tools` and `functions` is absent. Any other empty list becomes residue.
  if (list.length === 0 && (field === "functions" || Array.isArray(other))) return false;
  const tools = decodeTools(list, field, context);
  const before = request.tools ?? [];
  request.tools = field === "tools" ? [...tools, ...before] : [...before, ...tools];
  return true;
}

/** Decodes `tool_choice`, or the deprecated `function_call` setting. Returns false if the value becomes residue. */
function decodeToolChoice(wire: JsonValue, field: string, request: ModelRequest, { dialect }: DecodeContext): boolean {
  if (request.toolChoice !== undefined) return false;
  if (field === "tool_choice") {
    const choice = decodeChoice(wire, request.tools);
    if (choice !== undefined) request.toolChoice = choice;
    return choice !== undefined;
  }
  const name = isObject(wire) && Object.keys(wire).length === 1 ? wire["name"] : undefined;
  if (wire === "auto" || wire === "none") request.toolChoice = wire;
  else if (typeof name === "string") request.toolChoice = { toolName: name };
  else return false;
  storeForm(request, dialect, "tool_choice", field);
  return true;
}

/**
 * Sets the model and the stream flag from the envelope if the body lacks them, and stores in the form that they came
 * from the envelope.
 */
function applyEnvelope(request: ModelRequest, address: RequestEnvelope | undefined, { dialect }: DecodeContext): void {
  const fields: string[] = [];
  if (request.model === undefined && address?.model !== undefined) {
    request.model = address.model;
    fields.push("model");
  }
  if (request.stream === undefined && address?.stream !== undefined) {
    request.stream = address.stream;
    fields.push("stream");
  }
  if (fields.length > 0) storeForm(request, dialect, "address", fields);
}

const PREFILL_FORM = "prefill";
const HISTORY_RULES: HistoryRules = { requiresSameMessage: true };
export function encodeMessages(messages: readonly Message[], context: EncodeContext<ChatLossCode>): JsonObject[] {
  return encodeHistory(prepareHistory(messages, {}, context), createEncodeState(context));
}

export function encodeRequest(request: ModelRequest, context: EncodeContext<ChatLossCode>): Omit<Encoded, "losses"> {
  const state = createEncodeState(context);
  const { pathTracker } = context;
  const address: RequestEnvelope = {};
  const wire: JsonObject = {};
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsupported");
  encodeModelAndStream(request, wire, address, state);
  pathTracker.enter("messages");
  const noPrefill = readFormValue(request.messages.at(-1) ?? {}, PREFILL_FORM, state) !== "own";
  wire["messages"] = encodeHistory(prepareHistory(request.messages, { ...HISTORY_RULES, noPrefill }, context), state);
  pathTracker.leave();
  encodeToolSettings(request, wire, state);
  encodeOutput(request, wire, state);
  encodeSampling(request, wire, state);
  encodeReasoning(request, wire, state);
  // The cast is safe, because the metadata of a canonical request is JSON.
  const requestMetadata = request.metadata as JsonObject | undefined;
  const metadata =
    requestMetadata !== undefined && isOpenAiOrUnknown(state.vendor)
      ? fitMetadata(requestMetadata, context)
      : requestMetadata;
  if (metadata !== undefined) wire["metadata"] = metadata;
  restoreResidue(wire, request, context, ...FORMAT_FIELDS);
  reportNotPortableResidue(restoreSiblingFields(wire, request, SHARED_SETTINGS, context), context, STORED_CONTEXT);
  // OpenAI rejects metadata unless it stores the answer; other vendors can accept metadata.
  if (metadata !== undefined && context.repair && isOpenAi(state.vendor) && wire["store"] !== true) {
    delete wire["metadata"];
    context.report.addLoss("metadata-requires-store", ["metadata"]);
  }
  const { renames } = state.names;
  return {
    wire,
    ...(Object.keys(address).length > 0 && { address }),
    ...(renames !== undefined && { names: renames }),
  };
}

/** Encodes the model and the stream flag into the body, or into the envelope if they were decoded from the envelope. */
function encodeModelAndStream(
  request: ModelRequest,
  wire: JsonObject,
  address: RequestEnvelope,
  state: ChatEncodeState,
): void {
  const fields = readFormValue(request, "address", state);
  const isInEnvelope = (field: string): boolean => Array.isArray(fields) && fields.includes(field);
  const { model, stream } = request;
  if (model !== undefined) (isInEnvelope("model") ? address : wire)["model"] = model;
  if (stream !== undefined) (isInEnvelope("stream") ? address : wire)["stream"] = stream;
}

function encodeToolSettings(request: ModelRequest, wire: JsonObject, state: ChatEncodeState): void {
  const { context, names } = state;
  const { tools, toolChoice, parallelToolCalls } = request;
  if (tools !== undefined) encodeTools(tools, wire, state);
  const isEmpty = tools?.length === 0;
  // Chat rejects tool settings in a request without tools (B52).
  const isRefused = context.repair && wire["tools"] === undefined && wire["functions"] === undefined;
  if (isEmpty && isRefused) context.report.addLoss("tool-settings-dropped", "tools");
  else if (isEmpty) wire["tools"] = [];
  if (toolChoice !== undefined) {
    if (isRefused) context.report.addLoss("tool-settings-dropped", "toolChoice");
    else {
      const isLegacy = readFormValue(request, "tool_choice", state) === "function_call";
      const toWireName = (name: string, at?: number): string =>
        names.encodeToolName(name, at === undefined ? ["toolChoice", "toolName"] : ["toolChoice", "toolNames", at]);
      const choice: JsonValue = encodeChoice(toolChoice, tools ?? [], toWireName);
      if (isLegacy && toolChoice !== "required" && !isObject(choice)) wire["function_call"] = choice;
      else if (isLegacy && isObject(choice) && isObject(choice["function"])) wire["function_call"] = choice["function"];
      else wire["tool_choice"] = choice;
    }
  }
  if (parallelToolCalls === undefined) return;
  if (isRefused) context.report.addLoss("tool-settings-dropped", "parallelToolCalls");
  else wire["parallel_tool_calls"] = parallelToolCalls;
}

function encodeReasoning({ reasoning }: ModelRequest, wire: JsonObject, { context }: ChatEncodeState): void {
  if (reasoning === undefined) return;
  const { effort } = reasoning;
  if (effort !== undefined) wire["reasoning_effort"] = effort;
  context.pathTracker.enter("reasoning");
  reportUnsupportedFields(reasoning, SUPPORTED_REASONING, context, "field-unsupported");
  context.pathTracker.leave();
}
const SUPPORTED_REASONING: ReadonlySet<string> = new Set(["effort"]);
