// Requests, both ways.
import { REQUEST_FIELDS } from "../kit/carried.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { RequestEnvelope, DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../dialect.ts";
import type { HistoryRules } from "../kit/history.ts";
import { prepareHistory } from "../kit/history.ts";
import { carryShared, fittingMetadata, SHARED_SETTINGS } from "../kit/openai-shared.ts";
import { STORED_CONTEXT } from "../kit/provider-losses.ts";
import { isObject, readList, readMessageList, readObject } from "../kit/read.ts";
import {
  storeResidue,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { decodeHistory } from "./decode-message.ts";
import { encodeHistory } from "./encode-message.ts";
import type { Code } from "./losses.ts";
import { keep, startReading } from "./reading.ts";
import { decodeOutput, decodeSampling, encodeOutput, encodeSampling, FORMAT_FIELDS } from "./settings.ts";
import { choiceOf, decodeChoice, decodeTools, encodeTools } from "./tools.ts";
import { isNamedOwn, isOwn } from "./vendors.ts";
import type { Writing } from "./writing.ts";
import { spelling, startWriting } from "./writing.ts";

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  if (key !== undefined) context.pathTracker.enter(key);
  return decodeHistory(list, startReading(context));
}

export function decodeRequest(value: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const list = readList(wire["messages"], context, "messages");
  context.pathTracker.enter("messages");
  const messages = decodeHistory(list, startReading(context));
  context.pathTracker.leave();
  const request: ModelRequest = { messages };
  const last = messages.at(-1);
  // Whoever speaks Chat knows what comes of it (B36).
  if (last?.role === "assistant") storeForm(last, context.dialect, PREFILL, "own");
  let rest: JsonObject | undefined;
  for (const key in wire) {
    if (key !== "messages" && !decodeField(wire, key, request, context)) rest = keep(rest, wire, key);
  }
  for (const key of ["tool_choice", "function_call"]) {
    if (wire[key] !== undefined && !readToolChoice(wire[key], key, request, context)) rest = keep(rest, wire, key);
  }
  storeResidue(request, context.dialect, rest);
  takeAddress(request, address, context);
  return request;
}

/** Reads one field; false where it stays as it is. */
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
      // They are read when all tools are known.
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
  // An empty list is what there is to say only if nothing else is.
  if (list.length === 0 && (field === "functions" || Array.isArray(other))) return false;
  const tools = decodeTools(list, field, context);
  const before = request.tools ?? [];
  request.tools = field === "tools" ? [...tools, ...before] : [...before, ...tools];
  return true;
}

/** Which tools may be used; in the manner of old the field is called after the one thing there was to call. */
function readToolChoice(wire: JsonValue, field: string, request: ModelRequest, { dialect }: DecodeContext): boolean {
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

/** What the URL says fills in what the body does not, and goes back there. */
function takeAddress(request: ModelRequest, address: RequestEnvelope | undefined, { dialect }: DecodeContext): void {
  const taken: string[] = [];
  if (request.model === undefined && address?.model !== undefined) {
    request.model = address.model;
    taken.push("model");
  }
  if (request.stream === undefined && address?.stream !== undefined) {
    request.stream = address.stream;
    taken.push("stream");
  }
  if (taken.length > 0) storeForm(request, dialect, "address", taken);
}

const PREFILL = "prefill";
const RULES: HistoryRules = { perMessage: true };
export function encodeMessages(messages: readonly Message[], context: EncodeContext<Code>): JsonObject[] {
  return encodeHistory(prepareHistory(messages, {}, context), startWriting(context));
}

export function encodeRequest(request: ModelRequest, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const writing = startWriting(context);
  const { pathTracker: trail } = context;
  const address: RequestEnvelope = {};
  const wire: JsonObject = {};
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsaid");
  writeAddressed(request, wire, address, writing);
  trail.enter("messages");
  const noPrefill = spelling(request.messages.at(-1) ?? {}, PREFILL, writing) !== "own";
  wire["messages"] = encodeHistory(prepareHistory(request.messages, { ...RULES, noPrefill }, context), writing);
  trail.leave();
  encodeToolSettings(request, wire, writing);
  encodeOutput(request, wire, writing);
  encodeSampling(request, wire, writing);
  encodeReasoning(request, wire, writing);
  // JSON by contract; OpenAI takes only some of it.
  const given = request.metadata as JsonObject | undefined;
  const metadata = given !== undefined && isOwn(writing.vendor) ? fittingMetadata(given, context) : given;
  if (metadata !== undefined) wire["metadata"] = metadata;
  restoreResidue(wire, request, context, ...FORMAT_FIELDS);
  reportNotPortableResidue(carryShared(wire, request, SHARED_SETTINGS, context), context, STORED_CONTEXT);
  // OpenAI itself keeps metadata with what it stores, and refuses them alone; others may take them.
  if (metadata !== undefined && context.repair && isNamedOwn(writing.vendor) && wire["store"] !== true) {
    delete wire["metadata"];
    context.report.addLoss("metadata-unstored", ["metadata"]);
  }
  const { names } = writing.names;
  return {
    wire,
    ...(Object.keys(address).length > 0 && { address }),
    ...(names !== undefined && { names }),
  };
}

/** The model, and whether to stream: in the body, or beside it where they came so. */
function writeAddressed(request: ModelRequest, wire: JsonObject, address: RequestEnvelope, writing: Writing): void {
  const taken = spelling(request, "address", writing);
  const isBeside = (field: string): boolean => Array.isArray(taken) && taken.includes(field);
  const { model, stream } = request;
  if (model !== undefined) (isBeside("model") ? address : wire)["model"] = model;
  if (stream !== undefined) (isBeside("stream") ? address : wire)["stream"] = stream;
}

function encodeToolSettings(request: ModelRequest, wire: JsonObject, writing: Writing): void {
  const { context, names } = writing;
  const { tools, toolChoice, parallelToolCalls } = request;
  if (tools !== undefined) encodeTools(tools, wire, writing);
  const isEmpty = tools?.length === 0;
  // Without tools, whatever is about them is refused (B52).
  const isRefused = context.repair && wire["tools"] === undefined && wire["functions"] === undefined;
  if (isEmpty && isRefused) context.report.addLoss("tools-empty", "tools");
  else if (isEmpty) wire["tools"] = [];
  if (toolChoice !== undefined) {
    if (isRefused) context.report.addLoss("tools-empty", "toolChoice");
    else {
      const isLegacy = spelling(request, "tool_choice", writing) === "function_call";
      const nameOf = (name: string, at?: number): string =>
        names.toolName(name, at === undefined ? ["toolChoice", "toolName"] : ["toolChoice", "toolNames", at]);
      const choice: JsonValue = choiceOf(toolChoice, tools ?? [], nameOf);
      if (isLegacy && toolChoice !== "required" && !isObject(choice)) wire["function_call"] = choice;
      else if (isLegacy && isObject(choice) && isObject(choice["function"])) wire["function_call"] = choice["function"];
      else wire["tool_choice"] = choice;
    }
  }
  if (parallelToolCalls === undefined) return;
  if (isRefused) context.report.addLoss("tools-empty", "parallelToolCalls");
  else wire["parallel_tool_calls"] = parallelToolCalls;
}

function encodeReasoning({ reasoning }: ModelRequest, wire: JsonObject, { context }: Writing): void {
  if (reasoning === undefined) return;
  const { effort } = reasoning;
  if (effort !== undefined) wire["reasoning_effort"] = effort;
  context.pathTracker.enter("reasoning");
  reportUnsupportedFields(reasoning, EFFORT, context, "field-unsaid");
  context.pathTracker.leave();
}
const EFFORT: ReadonlySet<string> = new Set(["effort"]);
