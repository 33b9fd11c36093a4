// Requests as they are read.
import type { JsonObject } from "../../model/json.ts";
import type { OutputFormat, ModelRequest, Sampling } from "../../model/request.ts";
import type { RequestEnvelope, DecodeContext, DecodeRequestOptions } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { isObject, readObject, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { startReading } from "./decode-block.ts";
import { decodeHistory, decodeSystem } from "./decode-messages.ts";
import { keepField } from "./fields.ts";
import { decodeReasoning } from "./reasoning.ts";
import { SAMPLING } from "./sampling.ts";
import { decodeChoice } from "./tool-choice.ts";
import { decodeTools } from "./tools.ts";

/** Headers that say what is asked; credentials are none of them. */
const HEADERS: ReadonlySet<string> = new Set([
  "anthropic-beta",
  "anthropic-version",
  "anthropic-user-profile-id",
  "anthropic-workspace-id",
]);

export function decodeRequest(value: unknown, context: DecodeContext, options: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const { dialect } = context;
  const reading = startReading(context);
  if (wire["messages"] === undefined) context.fail("missing-field", "There are no messages.", "messages");
  const { system } = wire;
  const leading = system === undefined ? undefined : decodeSystem(system, reading);
  const request: ModelRequest = { messages: decodeHistory(leading ?? [], wire["messages"], reading) };
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

/** Fields that are called the same in both. */
const SAME = new FieldTable<"model" | "stream">([
  ["model", "model", "string"],
  ["stream", "stream", "boolean"],
]);

/** Reads one field into the request; false where it is of another kind, or has no word. */
function decodeField(wire: JsonObject, key: string, request: ModelRequest, context: DecodeContext): boolean {
  const value = wire[key];
  switch (key) {
    case "messages":
    case "thinking":
    case "output_config":
    case "output_format":
      // These are read together.
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
      return SAME.decode(wire, key, request);
  }
}

const USER: ReadonlySet<string> = new Set(["user_id"]);

function decodeMetadata(metadata: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const isNamed = typeof metadata["user_id"] === "string";
  request.metadata = isNamed ? { user_id: metadata["user_id"] } : {};
  storeResidue(
    request,
    dialect,
    isNamed ? unknownFields(metadata, USER) : unknownFields(metadata, new Set()),
    "metadata",
  );
}

/** The output's form; `output_format` is an older place for it. */
function decodeOutput(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const { output_config: config, output_format: older } = wire;
  if (!isObject(config)) keepField(request, wire, "output_config", dialect);
  else {
    const output = readFormat(config["format"]);
    if (output !== undefined) request.output = output;
    if (Object.keys(config).length === 0) storeResidue(request, dialect, {}, "output_config");
    for (const key in config) {
      const isTaken = key === "format" ? output !== undefined : key === "effort" && typeof config[key] === "string";
      if (!isTaken) keepField(request, config, key, dialect, "output_config");
    }
  }
  const output = request.output === undefined ? readFormat(older) : undefined;
  if (output === undefined) return keepField(request, wire, "output_format", dialect);
  request.output = output;
  storeForm(request, dialect, "output", "output_format");
}

function readFormat(format: unknown): OutputFormat | undefined {
  if (!isObject(format) || format["type"] !== "json_schema" || Object.keys(format).length !== 2) return undefined;
  const { schema } = format;
  return isObject(schema) ? { type: "json-schema", schema } : undefined;
}

/** What came beside the body fills what the body does not say. */
function readAddress(address: RequestEnvelope | undefined, request: ModelRequest, { dialect }: DecodeContext): void {
  if (address === undefined) return;
  if (address.model !== undefined && request.model === undefined) {
    request.model = address.model;
    storeForm(request, dialect, "model", "address");
  }
  if (address.stream !== undefined && request.stream === undefined) {
    request.stream = address.stream;
    storeForm(request, dialect, "stream", "address");
  }
  const headers: JsonObject = {};
  for (const [name, value] of Object.entries(address.headers ?? {})) {
    if (HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  if (Object.keys(headers).length > 0) storeForm(request, dialect, "headers", headers);
}
