// Decodes Anthropic requests.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest, OutputFormat, Sampling } from "../../../model/request.ts";
import { storeField } from "../../blocks/fields.ts";
import type { DecodeContext, DecodeRequestOptions, RequestEnvelope } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { isObject, readObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeForm, storeResidue } from "../../kit/residue/residue.ts";
import { createDecodeState } from "../content/decode-block.ts";
import { decodeHistory, decodeSystem } from "./decode-messages.ts";
import { decodeReasoning } from "./reasoning.ts";
import { SAMPLING } from "./sampling.ts";
import { decodeToolChoice } from "./tool-choice.ts";
import { decodeTools } from "./tool-definitions.ts";

/** Headers that change the meaning of a request and are stored with it. Credentials are never stored. */
const STORED_HEADERS: ReadonlySet<string> = new Set([
  "anthropic-beta",
  "anthropic-version",
  "anthropic-user-profile-id",
  "anthropic-workspace-id",
]);

export function decodeRequest(value: unknown, context: DecodeContext, options: DecodeRequestOptions): ModelRequest {
  const wire = readObject(value, context);
  const { dialect } = context;
  const state = createDecodeState(context);
  if (wire["messages"] === undefined) context.fail("missing-field", "The request has no messages.", "messages");
  const { system } = wire;
  const leading = system === undefined ? undefined : decodeSystem(system, state);
  const request: ModelRequest = { messages: decodeHistory(leading ?? [], wire["messages"], state) };
  const sampling: Sampling = {};
  for (const key in wire) {
    if (SAMPLING.decode(wire, key, sampling)) request.sampling = sampling;
    else if (!decodeField(wire, key, request, context) && (key !== "system" || leading === undefined)) {
      storeField(request, wire, key, dialect);
    }
  }
  decodeReasoning(wire, request, context);
  if (wire["output_config"] !== undefined || wire["output_format"] !== undefined) decodeOutput(wire, request, dialect);
  decodeEnvelope(options.address, request, context);
  return request;
}

/** Request fields that have the same name in the canonical model and on the wire. */
const SAME_NAME_FIELDS = new FieldTable<"model" | "stream">([
  ["model", "model", "string"],
  ["stream", "stream", "boolean"],
]);

/** Decodes one field into the request; returns false if the field is unknown or has an unexpected type. */
function decodeField(wire: JsonObject, key: string, request: ModelRequest, context: DecodeContext): boolean {
  const value = wire[key];
  switch (key) {
    case "messages":
    case "thinking":
    case "output_config":
    case "output_format":
      // `decodeRequest` decodes these four fields in separate steps.
      return true;
    case "tools":
      if (!Array.isArray(value)) return false;
      request.tools = decodeTools(value, context);
      return true;
    case "tool_choice":
      decodeToolChoice(wire, request, context);
      return true;
    case "metadata":
      if (!isObject(value)) return false;
      decodeMetadata(value, request, context);
      return true;
    default:
      return SAME_NAME_FIELDS.decode(wire, key, request);
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set();
const USER_ID: ReadonlySet<string> = new Set(["user_id"]);

function decodeMetadata(metadata: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const hasUserId = typeof metadata["user_id"] === "string";
  request.metadata = hasUserId ? { user_id: metadata["user_id"] } : {};
  storeResidue(request, dialect, unknownFields(metadata, hasUserId ? USER_ID : NO_FIELDS), "metadata");
}

/** Decodes the output format from `output_config`, or from the deprecated field `output_format`. */
function decodeOutput(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const { output_config: config, output_format: deprecated } = wire;
  if (!isObject(config)) storeField(request, wire, "output_config", dialect);
  else {
    const output = readOutputFormat(config["format"]);
    if (output !== undefined) request.output = output;
    if (Object.keys(config).length === 0) storeResidue(request, dialect, {}, "output_config");
    for (const key in config) {
      const isDecoded = key === "format" ? output !== undefined : key === "effort" && typeof config[key] === "string";
      if (!isDecoded) storeField(request, config, key, dialect, "output_config");
    }
  }
  const output = request.output === undefined ? readOutputFormat(deprecated) : undefined;
  if (output === undefined) return storeField(request, wire, "output_format", dialect);
  request.output = output;
  storeForm(request, dialect, "output", "output_format");
}

function readOutputFormat(format: unknown): OutputFormat | undefined {
  if (!isObject(format) || format["type"] !== "json_schema" || Object.keys(format).length !== 2) return undefined;
  const { schema } = format;
  return isObject(schema) ? { type: "json-schema", schema } : undefined;
}

/** Decodes the request envelope. If the body has the same field, the field of the body is used. */
function decodeEnvelope(
  envelope: RequestEnvelope | undefined,
  request: ModelRequest,
  { dialect }: DecodeContext,
): void {
  if (envelope === undefined) return;
  if (envelope.model !== undefined && request.model === undefined) {
    request.model = envelope.model;
    storeForm(request, dialect, "model", "address");
  }
  if (envelope.stream !== undefined && request.stream === undefined) {
    request.stream = envelope.stream;
    storeForm(request, dialect, "stream", "address");
  }
  const headers: JsonObject = {};
  for (const [name, value] of Object.entries(envelope.headers ?? {})) {
    if (STORED_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  if (Object.keys(headers).length > 0) storeForm(request, dialect, "headers", headers);
}
