// Decodes and encodes the sampling settings and the output format of a request.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { OutputFormat, ModelRequest, Sampling } from "../../../model/request.ts";
import type { DecodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { vendorSupports } from "../messages/media.ts";
import { writeStrict } from "./tools.ts";
import { isOpenAiOrUnknown, findVendor } from "../vendors.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readFormValue } from "../encode-state.ts";

const SAMPLING = new FieldTable<keyof Sampling>([
  ["temperature", "temperature", "number"],
  ["top_p", "topP", "number"],
  ["top_k", "topK", "number"],
  ["seed", "seed", "number"],
  ["random_seed", "seed", "number"],
  ["presence_penalty", "presencePenalty", "number"],
  ["frequency_penalty", "frequencyPenalty", "number"],
  ["stop", "stop", "strings"],
  ["max_completion_tokens", "maxOutputTokens", "number"],
  ["max_tokens", "maxOutputTokens", "number"],
  ["logprobs", "logprobs", "boolean"],
  ["top_logprobs", "topLogprobs", "number"],
  ["n", "n", "number"],
]);

/** For parameters with several names: each name (key) with OpenAI's name of the parameter (value). */
const PLAIN_NAMES: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_completion_tokens",
  random_seed: "seed",
  seed: "seed",
};

/** Decodes one field as a sampling setting. Returns false if the field is not a sampling setting. */
export function decodeSampling(wire: JsonObject, key: string, request: ModelRequest, context: DecodeContext): boolean {
  const { dialect } = context;
  const sampling: Sampling = request.sampling ?? {};
  const stop = wire[key];
  if (key === "stop" && typeof stop === "string") {
    sampling.stop = [stop];
    storeForm(request, dialect, key, "string");
  } else if (!SAMPLING.decode(wire, key, sampling)) return false;
  // Some vendors accept more stop sequences than OpenAI; the form allows the encoder to send all of them again.
  if (key === "stop" && !isStopAccepted(sampling.stop)) storeForm(request, dialect, key, "list");
  request.sampling = sampling;
  const vendor = findVendor(context.vendor);
  const plain = Object.hasOwn(PLAIN_NAMES, key) ? PLAIN_NAMES[key] : undefined;
  if (plain !== undefined && key !== (vendor?.parameterNames?.[plain] ?? plain))
    storeForm(request, dialect, plain, key);
  if (key === "top_k" && vendor?.supports?.includes(key) !== true) storeForm(request, dialect, key, true);
  return true;
}

export function encodeSampling(request: ModelRequest, wire: JsonObject, state: ChatEncodeState): void {
  const { context, dialect, vendor } = state;
  const { sampling } = request;
  if (sampling === undefined) return;
  context.pathTracker.into("sampling", () => SAMPLING.encode(sampling, wire, context));
  const form = readForm(request, dialect);
  for (const plain of ["max_completion_tokens", "seed"]) {
    const fieldName = form[plain] ?? vendor?.parameterNames?.[plain];
    if (wire[plain] === undefined || typeof fieldName !== "string" || fieldName === plain) continue;
    copyField(wire, plain, wire, fieldName);
    delete wire[plain];
  }
  encodeStop(request, sampling, wire, state);
  // Chat accepts `top_logprobs` only with `logprobs: true`.
  const lacksLogprobs = sampling.topLogprobs !== undefined && sampling.logprobs === undefined;
  if (lacksLogprobs && context.repair && canFillField(request, "logprobs", state)) {
    context.report.addLoss("field-synthesized", ["sampling", "logprobs"]);
    wire["logprobs"] = true;
  }
  if (wire["top_k"] !== undefined && form["top_k"] !== true && !vendorSupports("top_k", state)) {
    context.report.addLoss("field-unsupported", ["sampling", "topK"]);
    delete wire["top_k"];
  }
}

const MAX_STOPS = 4;

function isStopAccepted(stop: readonly string[] = []): boolean {
  return stop.length > 0 && stop.length <= MAX_STOPS;
}

function encodeStop(request: ModelRequest, { stop }: Sampling, wire: JsonObject, state: ChatEncodeState): void {
  if (stop === undefined) return;
  const { report, repair } = state.context;
  const form = readFormValue(request, "stop", state);
  const [only] = stop;
  if (form === "string" && only !== undefined && stop.length === 1) wire["stop"] = only;
  if (!repair || isStopAccepted(stop) || form === "list" || !isOpenAiOrUnknown(state.vendor)) return;
  if (stop.length === 0) {
    report.addLoss("stop-sequence-limit", ["sampling", "stop"]);
    delete wire["stop"];
  } else {
    for (let index = MAX_STOPS; index < stop.length; index++)
      report.addLoss("stop-sequence-limit", ["sampling", "stop", index]);
    wire["stop"] = stop.slice(0, MAX_STOPS);
  }
}

const FORMAT_FIELD = "response_format";
const SCHEMA_FIELD = "json_schema";
/** The nested objects into which residue of the request is restored. */
export const FORMAT_FIELDS = [FORMAT_FIELD, SCHEMA_FIELD] as const;

/** Decodes the output format. Returns false if the canonical model cannot express the format. */
export function decodeOutput(wire: JsonValue, request: ModelRequest, context: DecodeContext): boolean {
  const output = isObject(wire) ? decodeFormat(wire, request, context) : undefined;
  if (output === undefined || !isObject(wire)) return false;
  request.output = output;
  storeUnknownFields(
    request,
    wire,
    output.type === "json-schema" ? ["type", SCHEMA_FIELD] : ["type"],
    context,
    FORMAT_FIELD,
  );
  return true;
}

function decodeFormat(wire: JsonObject, request: ModelRequest, context: DecodeContext): OutputFormat | undefined {
  const { type, [SCHEMA_FIELD]: data } = wire;
  if (type === "text") return { type };
  if (type === "json_object") return { type: "json" };
  if (type !== SCHEMA_FIELD || !isObject(data) || !isObject(data["schema"])) return undefined;
  const { name, description, strict, schema } = data;
  const output: OutputFormat = { type: "json-schema", schema };
  const known = ["schema"];
  if (typeof name === "string") {
    output.name = name;
    known.push("name");
  } else if (name === undefined) storeForm(request, context.dialect, "output", "nameless");
  if (typeof description === "string") {
    output.description = description;
    known.push("description");
  }
  if (typeof strict === "boolean") {
    output.strict = strict;
    known.push("strict");
  }
  storeUnknownFields(request, data, known, context, FORMAT_FIELD, SCHEMA_FIELD);
  return output;
}

/** The name that is sent for a schema without a name, because Chat requires one. */
const DEFAULT_NAME = "response";

export function encodeOutput(request: ModelRequest, wire: JsonObject, state: ChatEncodeState): void {
  const { output } = request;
  if (output === undefined) return;
  if (output.type !== "json-schema") {
    wire[FORMAT_FIELD] = { type: output.type === "json" ? "json_object" : output.type };
    return;
  }
  const { context, dialect, names } = state;
  const { name, description, strict, schema } = output;
  const data: JsonObject = {};
  const residue = request.extra?.[dialect]?.[FORMAT_FIELD];
  // The residue of `json_schema` is nested in the residue of `response_format`.
  const inner = isObject(residue) && isObject(residue[SCHEMA_FIELD]) ? residue[SCHEMA_FIELD] : {};
  if (name !== undefined) data["name"] = names.encodeToolName(name, ["output", "name"]);
  else if (readFormValue(request, "output", state) !== "nameless" && !Object.hasOwn(inner, "name")) {
    data["name"] = DEFAULT_NAME;
    context.report.addLoss("field-synthesized", ["output", "name"]);
  }
  if (description !== undefined) data["description"] = description;
  data["schema"] = schema as JsonObject; // The cast is safe, because a canonical schema is JSON.
  if (strict !== undefined) writeStrict(data, strict, schema, ["output", "strict"], state);
  wire[FORMAT_FIELD] = { type: SCHEMA_FIELD, [SCHEMA_FIELD]: data };
}
