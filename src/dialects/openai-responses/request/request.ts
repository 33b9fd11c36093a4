// Decodes and encodes Responses requests: history, tools and settings. Parameters without a canonical field become
// residue.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ReasoningSettings, ModelRequest, Sampling } from "../../../model/request.ts";
import type { DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { prepareHistory } from "../../kit/history/prepare-history.ts";
import type { RenameTable } from "../../kit/tools/tool-renames.ts";
import { fitMetadata } from "../../openai/metadata.ts";
import { readSiblingResidue, restoreSiblingFields, SHARED_SETTINGS } from "../../openai/sibling-residue.ts";
import { STORED_BLOCKS, STORED_CONTEXT } from "../../kit/losses/stored-context.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject, readObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue } from "../../kit/residue/unsent-fields.ts";
import { decodeInput, decodeInstructions } from "../items/decode-items.ts";
import { encodeHistory } from "../items/encode-items.ts";
import { decodeText, encodeText } from "./text-format.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { decodeChoice, decodeTools, encodeChoice, encodeTools } from "./tools.ts";
import { readOwnForm, createEncodeState } from "../encode-state.ts";

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
type RequestSetting = "model" | "parallelToolCalls" | "stream";
const SETTINGS = new FieldTable<RequestSetting>([
  ["model", "model", "string"],
  ["parallel_tool_calls", "parallelToolCalls", "boolean"],
  ["stream", "stream", "boolean"],
]);

/** The value of `include` that requests log probabilities. */
const INCLUDE_LOGPROBS = "message.output_text.logprobs";

export function decodeRequest(value: unknown, context: DecodeContext, { address }: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const { input, instructions } = wire;
  const request: ModelRequest = { messages: [] };
  const hasInstructions = typeof instructions === "string";
  request.messages = hasInstructions ? decodeInstructions(instructions) : [];
  if (input === undefined || input === null)
    storeForm(request, context.dialect, "input", input === null ? null : "absent");
  else for (const message of decodeInput(input, context)) request.messages.push(message);
  const sampling: Sampling = {};
  for (const key in wire) {
    if (key === "input" || (key === "instructions" && hasInstructions) || wire[key] === undefined) continue;
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

/** Decodes one setting. Returns false if the setting becomes residue. */
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
      // The tools must be decoded first, because a choice names a custom tool with the type `custom` instead of
      // `function`.
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
      storeUnknownFields(request, value, known, context, "reasoning");
      return true;
    }
    case "include": {
      // `INCLUDE_LOGPROBS` is decoded only if it is the last entry, so that the encoder can restore the order of the
      // list.
      if (!Array.isArray(value) || value.indexOf(INCLUDE_LOGPROBS) !== value.length - 1 || value.length === 0)
        return false;
      sampling.logprobs = true;
      if (value.length > 1) storeResidue(request, context.dialect, { include: value.slice(0, -1) });
      return true;
    }
    default:
      return false;
  }
}

export function encodeRequest(
  request: ModelRequest,
  context: EncodeContext<ResponsesLossCode>,
): Omit<Encoded, "losses"> {
  const { dialect } = context;
  const residue = request.extra?.[dialect] ?? {};
  const state = createEncodeState(
    context,
    undefined,
    (residue["store"] ?? readSiblingResidue(request, context)["store"]) === false,
  );
  const { names } = state;
  const wire: JsonObject = {};
  encodeSettings(wire, request, context);
  encodeToolSettings(wire, request, residue, names, context);
  const stored =
    hasAnyField(residue, "previous_response_id", "conversation") || hasItem(request, STORED_BLOCKS, dialect);
  context.pathTracker.enter("messages");
  const turns = prepareHistory(
    request.messages,
    { allowsAnyPosition: true, allowsStoredCalls: stored, noPrefill: endsWithForeignText(request, dialect) },
    context,
  );
  const { instructions, input } = encodeHistory(turns, state);
  context.pathTracker.leave();
  if (instructions !== undefined) wire["instructions"] = instructions;
  const form = readOwnForm(request, context)["input"];
  const isEmpty = Array.isArray(input) && input.length === 0;
  if (!isEmpty || form === undefined) wire["input"] = input;
  else if (form === null) wire["input"] = null;
  restoreResidue(wire, request, context, "reasoning", "text", "format");
  reportNotPortableResidue(restoreSiblingFields(wire, request, SHARED_SETTINGS, context), context, STORED_CONTEXT);
  if (request.sampling?.logprobs === true) {
    const { include } = wire;
    wire["include"] = [...(Array.isArray(include) ? include : []), INCLUDE_LOGPROBS];
  }
  const renames = names.renames;
  return renames === undefined ? { wire } : { wire, names: renames };
}

/**
 * True if the history ends with an assistant text that Responses did not generate. Responses does not continue such a
 * text (B36).
 */
function endsWithForeignText({ messages }: ModelRequest, dialect: string): boolean {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.type === "text" && last.seals?.some((seal) => seal.dialect === dialect) !== true;
}

/** True if any of the fields has a value other than null. */
function hasAnyField(residue: JsonObject, ...fields: string[]): boolean {
  return fields.some((field) => (residue[field] ?? null) !== null);
}

/** True if the history has an opaque item of one of these types. */
function hasItem({ messages }: ModelRequest, types: ReadonlySet<unknown>, dialect: string): boolean {
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "opaque" || part.dialect !== dialect || !isObject(part.value)) continue;
      // An item reference can omit its type.
      if (types.has(part.value["type"] ?? "item_reference")) return true;
    }
  }
  return false;
}

const MORE_TOOLS: ReadonlySet<unknown> = new Set(["additional_tools"]);

/**
 * Encodes the tools and their settings. Without tools, the API rejects some of the settings, so they are dropped (B52).
 */
function encodeToolSettings(
  wire: JsonObject,
  request: ModelRequest,
  residue: JsonObject,
  names: RenameTable,
  context: EncodeContext<ResponsesLossCode>,
): void {
  const { tools = [], toolChoice, parallelToolCalls } = request;
  const list = encodeTools(tools, names, context);
  const hasMore = list.length > 0 || hasAnyField(residue, "prompt") || hasItem(request, MORE_TOOLS, context.dialect);
  const removesToolSettings = context.repair && !hasMore;
  // True if the tools, a tool choice that forces no tool, and `parallel_tool_calls` are written. The API accepts them
  // with an empty tool list, so they are dropped only if the request had tools and none of them can be sent.
  const isAccepted = tools.length === 0 || !removesToolSettings;
  const encodeField = (
    field: "tools" | "toolChoice" | "parallelToolCalls",
    isWritten: boolean,
    value: () => JsonValue,
  ) => {
    if (request[field] === undefined) return;
    if (isWritten) wire[WIRE_FIELDS[field]] = value();
    else context.report.addLoss("tool-settings-dropped", field);
  };
  const isForced = toolChoice !== "auto" && toolChoice !== "none";
  encodeField("tools", isAccepted, () => list);
  encodeField("toolChoice", isForced ? !removesToolSettings : isAccepted, () =>
    encodeChoice(toolChoice ?? "auto", tools, names),
  );
  encodeField("parallelToolCalls", isAccepted, () => parallelToolCalls ?? null);
}
const WIRE_FIELDS = {
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
} as const;

function encodeSettings(wire: JsonObject, request: ModelRequest, context: EncodeContext<ResponsesLossCode>): void {
  const { model, stream, metadata, reasoning, sampling } = request;
  const settings: Partial<Record<RequestSetting, unknown>> = { model, stream };
  SETTINGS.encode(settings, wire, context);
  const fitting = metadata && fitMetadata(metadata, context);
  if (fitting !== undefined) wire["metadata"] = fitting;
  if (reasoning !== undefined) {
    const inner: JsonObject = {};
    context.pathTracker.into("reasoning", () => REASONING.encode(reasoning, inner, context));
    // An empty `reasoning` object is sent only if the canonical `reasoning` is empty, too (B57).
    if (Object.keys(inner).length > 0 || Object.keys(reasoning).length === 0) wire["reasoning"] = inner;
  }
  if (sampling !== undefined) context.pathTracker.into("sampling", () => encodeSampling(wire, sampling, context));
  encodeText(wire, request, context);
}

function encodeSampling(wire: JsonObject, sampling: Sampling, context: EncodeContext<ResponsesLossCode>): void {
  const settings: Sampling = {};
  for (const key in sampling) {
    if (key !== "logprobs" && sampling[key as keyof Sampling] !== undefined) copyField(sampling, key, settings);
  }
  SAMPLING.encode(settings, wire, context);
  // Log probabilities are disabled by default, so `logprobs: false` needs no wire field.
  if (sampling.logprobs === false) context.report.addLoss("default-omitted", "logprobs");
}
