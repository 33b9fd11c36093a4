// Requests, both ways.
import type { JsonObject } from "../../model/json.ts";
import type { OutputFormat, Request, Sampling } from "../../model/request.ts";
import type { Address, DecodeContext, DecodeRequestOptions, EncodeContext, Encoded } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { NameBook } from "../kit/names.ts";
import { STORED_CONTEXT } from "../kit/provider-losses.ts";
import { copyField, isObject, readObject, restOf } from "../kit/read.ts";
import { formOf, keepFields, keepForm, reportForeignResidue, reportUncarried, restoreResidue } from "../kit/residue.ts";
import { startReading } from "./decode-block.ts";
import { decodeHistory, decodeSystem } from "./decode-messages.ts";
import { startWriting } from "./encode-block.ts";
import { CALL_IDS, encodeHistory, TOOL_NAMES } from "./encode-history.ts";
import { keepField } from "./fields.ts";
import type { Code } from "./losses.ts";
import { decodeReasoning, encodeReasoning, fitThinking, isThinking } from "./reasoning.ts";
import { closedSchema } from "./schema.ts";
import { decodeChoice, decodeTools, encodeChoice, encodeTools, freeChoice } from "./tools.ts";
import type { Writing } from "./writing.ts";
import { countCache } from "./writing.ts";

const SAMPLING = new FieldTable<keyof Sampling>([
  ["max_tokens", "maxOutputTokens", "number"],
  ["temperature", "temperature", "number"],
  ["top_p", "topP", "number"],
  ["top_k", "topK", "number"],
  ["stop_sequences", "stop", "strings"],
]);

/** Headers that say what is asked; credentials are none of them. */
const HEADERS: ReadonlySet<string> = new Set([
  "anthropic-beta",
  "anthropic-version",
  "anthropic-user-profile-id",
  "anthropic-workspace-id",
]);

export function decodeRequest(value: unknown, context: DecodeContext, options: DecodeRequestOptions): Request {
  const wire = readObject(value, context);
  const { dialect } = context;
  const reading = startReading(context);
  if (wire["messages"] === undefined) context.fail("missing-field", "There are no messages.", "messages");
  const { system } = wire;
  const leading = system === undefined ? undefined : decodeSystem(system, reading);
  const request: Request = { messages: decodeHistory(leading ?? [], wire["messages"], reading) };
  const sampling: Sampling = {};
  for (const key in wire) {
    if (SAMPLING.decode(wire, key, sampling)) request.sampling = sampling;
    else if (!decodeField(wire, key, request, context) && (key !== "system" || leading === undefined)) {
      keepField(request, wire, key, dialect);
    }
  }
  decodeReasoning(wire, request, context);
  if (wire["output_config"] !== undefined || wire["output_format"] !== undefined) decodeOutput(wire, request, dialect);
  readAddress(options.address, request, context);
  return request;
}

/** Reads one field into the request; false where it is of another kind, or has no word. */
function decodeField(wire: JsonObject, key: string, request: Request, context: DecodeContext): boolean {
  const value = wire[key];
  switch (key) {
    case "messages":
    case "thinking":
    case "output_config":
    case "output_format":
      // These are read together.
      return true;
    case "model":
      if (typeof value !== "string") return false;
      request.model = value;
      return true;
    case "stream":
      if (typeof value !== "boolean") return false;
      request.stream = value;
      return true;
    case "tools":
      if (!Array.isArray(value)) return false;
      request.tools = decodeTools(value, context);
      return true;
    case "tool_choice":
      decodeChoice(wire, request, context);
      return true;
    case "metadata":
      if (!isObject(value)) return false;
      decodeMetadata(value, request, context);
      return true;
    default:
      return false;
  }
}

const USER: ReadonlySet<string> = new Set(["user_id"]);

function decodeMetadata(metadata: JsonObject, request: Request, { dialect }: DecodeContext): void {
  const isNamed = typeof metadata["user_id"] === "string";
  request.metadata = isNamed ? { user_id: metadata["user_id"] } : {};
  keepFields(request, dialect, isNamed ? restOf(metadata, USER) : restOf(metadata, new Set()), "metadata");
}

/** The output's form; `output_format` is an older place for it. */
function decodeOutput(wire: JsonObject, request: Request, dialect: string): void {
  const { output_config: config, output_format: older } = wire;
  if (!isObject(config)) keepField(request, wire, "output_config", dialect);
  else {
    const output = readFormat(config["format"]);
    if (output !== undefined) request.output = output;
    if (Object.keys(config).length === 0) keepFields(request, dialect, {}, "output_config");
    for (const key in config) {
      const isTaken = key === "format" ? output !== undefined : key === "effort" && typeof config[key] === "string";
      if (!isTaken) keepField(request, config, key, dialect, "output_config");
    }
  }
  const output = request.output === undefined ? readFormat(older) : undefined;
  if (output === undefined) return keepField(request, wire, "output_format", dialect);
  request.output = output;
  keepForm(request, dialect, "output", "output_format");
}

function readFormat(format: unknown): OutputFormat | undefined {
  if (!isObject(format) || format["type"] !== "json_schema" || Object.keys(format).length !== 2) return undefined;
  const { schema } = format;
  return isObject(schema) ? { type: "json-schema", schema } : undefined;
}

/** What came beside the body fills what the body does not say. */
function readAddress(address: Address | undefined, request: Request, { dialect }: DecodeContext): void {
  if (address === undefined) return;
  if (address.model !== undefined && request.model === undefined) {
    request.model = address.model;
    keepForm(request, dialect, "model", "address");
  }
  if (address.stream !== undefined && request.stream === undefined) {
    request.stream = address.stream;
    keepForm(request, dialect, "stream", "address");
  }
  const headers: JsonObject = {};
  for (const [name, value] of Object.entries(address.headers ?? {})) {
    if (HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  if (Object.keys(headers).length > 0) keepForm(request, dialect, "headers", headers);
}

const CARRIED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "tools",
  "toolChoice",
  "parallelToolCalls",
  "output",
  "sampling",
  "reasoning",
  "metadata",
  "stream",
  "extra",
]);

export function encodeRequest(request: Request, context: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const names = new NameBook(CALL_IDS, TOOL_NAMES, context);
  const writing = startWriting(context, names);
  const wire: JsonObject = {};
  const address = writeAddress(request, wire, context.dialect);
  countCache(request.extra?.[context.dialect]?.["cache_control"], writing);
  if (request.tools !== undefined) {
    const tools = encodeTools(request.tools, writing);
    if (tools.length > 0 || request.tools.length === 0) wire["tools"] = tools;
  }
  const { trail } = context;
  trail.enter("messages");
  const { system, messages, isUnsigned } = encodeHistory(request.messages, writing);
  trail.leave();
  if (system !== undefined) wire["system"] = system;
  wire["messages"] = messages;
  trail.enter("sampling");
  SAMPLING.encode(request.sampling ?? {}, wire, context);
  trail.leave();
  encodeChoice(request, wire, writing);
  encodeReasoning(request, wire, writing);
  encodeOutput(request, wire, context);
  encodeMetadata(request, wire, context);
  if (context.repair) fitSettings(request, wire, isUnsigned, writing);
  restoreResidue(wire, request, context, "thinking", "output_config", "tool_choice", "metadata");
  if (context.repair) dropRemnants(wire, context);
  reportForeignResidue<Code>(request, context, STORED_CONTEXT);
  reportUncarried(request, CARRIED, context, "field-unsaid");
  return { wire, ...(address && { address }), ...(names.names && { names: names.names }) };
}

function writeAddress(request: Request, wire: JsonObject, dialect: string): Address | undefined {
  const form = formOf(request, dialect);
  const address: Address = {};
  if (request.model !== undefined) {
    if (form["model"] === "address") address.model = request.model;
    else wire["model"] = request.model;
  }
  if (request.stream !== undefined) {
    if (form["stream"] === "address") address.stream = request.stream;
    else wire["stream"] = request.stream;
  }
  // Kept as read, which was a record of strings.
  if (isObject(form["headers"])) address.headers = form["headers"] as Record<string, string>;
  return Object.keys(address).length > 0 ? address : undefined;
}

function encodeOutput({ output, extra }: Request, wire: JsonObject, context: EncodeContext<Code>): void {
  if (output === undefined || output.type === "text") return;
  if (output.type === "json") {
    context.report.lose("field-unsaid", "output", "JSON needs a schema here.");
    return;
  }
  for (const field of ["name", "description", "strict"] as const) {
    if (output[field] !== undefined) context.report.lose("field-unsaid", ["output", field]);
  }
  const schema = context.repair ? closedSchema(output.schema) : output.schema;
  if (schema !== output.schema) context.report.lose("schema-changed", ["output", "schema"], "Its objects were closed.");
  // A schema is a JSON object that a caller may have made read-only.
  const format: JsonObject = { type: "json_schema", schema: schema as JsonObject };
  if (formOf({ ...(extra && { extra }) }, context.dialect)["output"] === "output_format")
    wire["output_format"] = format;
  else wire["output_config"] = { ...(wire["output_config"] as JsonObject | undefined), format };
}

function encodeMetadata({ metadata }: Request, wire: JsonObject, { report }: EncodeContext<Code>): void {
  if (metadata === undefined) return;
  const keys = Object.keys(metadata);
  const said: JsonObject = {};
  for (const key of keys) {
    if (key === "user_id" && typeof metadata[key] === "string") copyField(metadata, key, said);
    else report.lose("field-unsaid", ["metadata", key]);
  }
  if (keys.length === 0 || Object.keys(said).length > 0) wire["metadata"] = said;
}

/** Settings that the target takes only within limits, or not together. */
function fitSettings(request: Request, wire: JsonObject, isUnsigned: boolean, writing: Writing): void {
  const { report } = writing.context;
  fitThinking(request, wire, isUnsigned, writing);
  const unfit = (key: string, field: keyof Sampling): void => {
    report.lose("sampling-unfit", ["sampling", field]);
    delete wire[key];
  };
  const { temperature, top_p: topP } = wire;
  if (isThinking(wire)) {
    if (temperature !== undefined && temperature !== 1) unfit("temperature", "temperature");
    if (typeof topP === "number" && topP < 0.95) unfit("top_p", "topP");
    if (wire["top_k"] !== undefined) unfit("top_k", "topK");
    freeChoice(wire, writing);
  } else if (typeof temperature === "number" && temperature > 1) {
    report.lose("sampling-unfit", ["sampling", "temperature"]);
    wire["temperature"] = 1;
  }
  const stop = request.sampling?.stop ?? [];
  const words = stop.filter((word) => word.trim() !== "");
  if (words.length === stop.length) return;
  wire["stop_sequences"] = words;
  stop.forEach((word, index) => {
    if (word.trim() === "") report.lose("sampling-unfit", ["sampling", "stop", index]);
  });
}

/** What was kept of a setting that is gone says nothing by itself, and is refused. */
function dropRemnants(wire: JsonObject, { report, dialect }: EncodeContext<Code>): void {
  for (const key of ["thinking", "tool_choice"]) {
    const value = wire[key];
    if (!isObject(value) || value["type"] !== undefined) continue;
    report.lose("residue-clash", ["extra", dialect, key]);
    delete wire[key];
  }
}
