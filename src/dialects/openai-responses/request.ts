// Requests: the history, the tools and the settings. What the model has no word for is kept under its own name.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ReasoningSettings, ModelRequest, Sampling } from "../../model/request.ts";
import type { DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { prepareHistory } from "../kit/history.ts";
import type { NameBook } from "../kit/names.ts";
import { carryShared, fittingMetadata, SHARED_SETTINGS, siblingResidue } from "../kit/openai-shared.ts";
import { STORED_BLOCKS, STORED_CONTEXT } from "../kit/provider-losses.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { copyField, isObject, readObject } from "../kit/read.ts";
import { storeResidue, storeForm, reportNotPortableResidue, restoreResidue } from "../kit/residue.ts";
import { decodeInput, decodeInstructions } from "./decode.ts";
import { encodeHistory } from "./encode.ts";
import { decodeText, encodeText } from "./format.ts";
import type { Code } from "./losses.ts";
import { decodeChoice, decodeTools, encodeChoice, encodeTools } from "./tools.ts";
import { spelled, startWriting } from "./writing.ts";

const SAMPLING = new FieldTable<keyof Sampling>([
  ["temperature", "temperature", "number"],
  ["top_p", "topP", "number"],
  ["max_output_tokens", "maxOutputTokens", "number"],
  ["top_logprobs", "topLogprobs", "number"],
]);
const REASONING = new FieldTable<keyof ReasoningSettings>([
  ["effort", "effort", "string"],
  ["summary", "summary", "string"],
]);
type Setting = "model" | "parallelToolCalls" | "stream";
const SETTINGS = new FieldTable<Setting>([
  ["model", "model", "string"],
  ["parallel_tool_calls", "parallelToolCalls", "boolean"],
  ["stream", "stream", "boolean"],
]);

/** What asks for log probabilities, among other things that may be included. */
const LOGPROBS = "message.output_text.logprobs";

export function decodeRequest(value: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const { input, instructions } = wire;
  const request: ModelRequest = { messages: [] };
  const isSaid = typeof instructions === "string";
  request.messages = isSaid ? decodeInstructions(instructions) : [];
  if (input === undefined || input === null)
    storeForm(request, context.dialect, "input", input === null ? null : "absent");
  else for (const message of decodeInput(input, context)) request.messages.push(message);
  const sampling: Sampling = {};
  for (const key in wire) {
    if (key === "input" || (key === "instructions" && isSaid) || wire[key] === undefined) continue;
    if (SETTINGS.decode(wire, key, request) || SAMPLING.decode(wire, key, sampling)) continue;
    if (!decodeSetting(wire, key, request, sampling, context)) {
      const rest: JsonObject = {};
      copyField(wire, key, rest);
      storeResidue(request, context.dialect, rest);
    }
  }
  if (Object.keys(sampling).length > 0) request.sampling = sampling;
  if (address?.model !== undefined) request.model ??= address.model;
  if (address?.stream !== undefined) request.stream ??= address.stream;
  return request;
}

/** Reads one setting; false where it is none that the model has a word for. */
function decodeSetting(
  wire: JsonObject,
  key: string,
  request: ModelRequest,
  sampling: Sampling,
  context: DecodeContext,
): boolean {
  const value = wire[key] ?? null;
  switch (key) {
    case "tools":
      if (Array.isArray(value)) request.tools ??= decodeTools(value, context);
      return Array.isArray(value);
    case "tool_choice": {
      // Which of the tools are custom ones tells how a choice names them.
      const tools = wire["tools"];
      if (Array.isArray(tools)) request.tools ??= decodeTools(tools, context);
      const choice = decodeChoice(value, request.tools ?? []);
      if (choice !== undefined) request.toolChoice = choice;
      return choice !== undefined;
    }
    case "metadata":
      if (isObject(value)) request.metadata = value;
      return isObject(value);
    case "text":
      if (isObject(value)) decodeText(value, request, context);
      return isObject(value);
    case "reasoning": {
      if (!isObject(value)) return false;
      const reasoning: ReasoningSettings = {};
      const known = Object.keys(value).filter((field) => REASONING.decode(value, field, reasoning));
      request.reasoning = reasoning;
      keepOthers(request, value, known, context, "reasoning");
      return true;
    }
    case "include": {
      // In the last place, it can be put back to where it was.
      if (!Array.isArray(value) || value.indexOf(LOGPROBS) !== value.length - 1 || value.length === 0) return false;
      sampling.logprobs = true;
      if (value.length > 1) storeResidue(request, context.dialect, { include: value.slice(0, -1) });
      return true;
    }
    default:
      return false;
  }
}

export function encodeRequest(request: ModelRequest, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const { dialect } = context;
  const kept = request.extra?.[dialect] ?? {};
  const writing = startWriting(
    context,
    undefined,
    (kept["store"] ?? siblingResidue(request, context)["store"]) === false,
  );
  const { names } = writing;
  const wire: JsonObject = {};
  writeSettings(wire, request, context);
  writeTools(wire, request, kept, names, context);
  const stored = isStored(kept, "previous_response_id", "conversation") || hasItem(request, STORED_BLOCKS, dialect);
  context.pathTracker.enter("messages");
  const turns = prepareHistory(
    request.messages,
    { anywhere: true, stored, noPrefill: endsSaid(request, dialect) },
    context,
  );
  const { instructions, input } = encodeHistory(turns, writing);
  context.pathTracker.leave();
  if (instructions !== undefined) wire["instructions"] = instructions;
  const form = spelled(request, context)["input"];
  const isNothing = Array.isArray(input) && input.length === 0;
  if (!isNothing || form === undefined) wire["input"] = input;
  else if (form === null) wire["input"] = null;
  restoreResidue(wire, request, context, "reasoning", "text", "format");
  reportNotPortableResidue(carryShared(wire, request, SHARED_SETTINGS, context), context, STORED_CONTEXT);
  if (request.sampling?.logprobs === true) {
    const { include } = wire;
    wire["include"] = [...(Array.isArray(include) ? include : []), LOGPROBS];
  }
  const changed = names.names;
  return changed === undefined ? { wire } : { wire, names: changed };
}

/** Whether the history ends with words of the assistant that are not OpenAI's own: they are not continued (B36). */
function endsSaid({ messages }: ModelRequest, dialect: string): boolean {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.type === "text" && last.seals?.some((seal) => seal.dialect === dialect) !== true;
}

/** Whether one of these fields refers to what the provider has stored. */
function isStored(kept: JsonObject, ...fields: string[]): boolean {
  return fields.some((field) => (kept[field] ?? null) !== null);
}

/** Whether there is an item of one of these types. */
function hasItem({ messages }: ModelRequest, types: ReadonlySet<unknown>, dialect: string): boolean {
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "opaque" || part.dialect !== dialect || !isObject(part.value)) continue;
      // A reference need not say what it is.
      if (types.has(part.value["type"] ?? "item_reference")) return true;
    }
  }
  return false;
}

const MORE_TOOLS: ReadonlySet<unknown> = new Set(["additional_tools"]);

/** The tools, and what is about them: without any left, that means nothing (B52). */
function writeTools(
  wire: JsonObject,
  request: ModelRequest,
  kept: JsonObject,
  names: NameBook,
  context: EncodeContext<Code>,
): void {
  const { tools = [], toolChoice, parallelToolCalls } = request;
  const list = encodeTools(tools, names, context);
  const hasMore = list.length > 0 || isStored(kept, "prompt") || hasItem(request, MORE_TOOLS, context.dialect);
  const isMended = context.repair && !hasMore;
  // An empty list is taken, as is what forces nothing; none of that is left of tools that are all another's.
  const isLeft = tools.length === 0 || !isMended;
  const write = (field: "tools" | "toolChoice" | "parallelToolCalls", isWritten: boolean, value: () => JsonValue) => {
    if (request[field] === undefined) return;
    if (isWritten) wire[WIRE_FIELDS[field]] = value();
    else context.report.addLoss("tools-empty", field);
  };
  const isForced = toolChoice !== "auto" && toolChoice !== "none";
  write("tools", isLeft, () => list);
  write("toolChoice", isForced ? !isMended : isLeft, () => encodeChoice(toolChoice ?? "auto", tools, names));
  write("parallelToolCalls", isLeft, () => parallelToolCalls ?? null);
}
const WIRE_FIELDS = {
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
} as const;

function writeSettings(wire: JsonObject, request: ModelRequest, context: EncodeContext<Code>): void {
  const { model, stream, metadata, reasoning, sampling } = request;
  const settings: Partial<Record<Setting, unknown>> = { model, stream };
  SETTINGS.encode(settings, wire, context);
  const fitting = metadata && fittingMetadata(metadata, context);
  if (fitting !== undefined) wire["metadata"] = fitting;
  if (reasoning !== undefined) {
    const inner: JsonObject = {};
    context.pathTracker.into("reasoning", () => REASONING.encode(reasoning, inner, context));
    // Nothing is said about reasoning where nothing of it can be said (B57).
    if (Object.keys(inner).length > 0 || Object.keys(reasoning).length === 0) wire["reasoning"] = inner;
  }
  if (sampling !== undefined) context.pathTracker.into("sampling", () => writeSampling(wire, sampling, context));
  encodeText(wire, request, context);
}

function writeSampling(wire: JsonObject, sampling: Sampling, context: EncodeContext<Code>): void {
  const settings: Sampling = {};
  for (const key in sampling) {
    if (key !== "logprobs" && sampling[key as keyof Sampling] !== undefined) copyField(sampling, key, settings);
  }
  SAMPLING.encode(settings, wire, context);
  // Asked for among what is included; nobody needs to say that they do not want them.
  if (sampling.logprobs === false) context.report.addLoss("default-unsaid", "logprobs");
}
