// The settings of a request: sampling, the form of the output, how tools are chosen.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { OutputFormat, ModelRequest, Sampling } from "../../model/request.ts";
import type { DecodeContext } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import { takes } from "./media.ts";
import { writeStrict } from "./tools.ts";
import { isOwn, vendorOf } from "./vendors.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling } from "./writing.ts";

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

/** Fields that say the same: the plain one, by the other. */
const PLAIN: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_completion_tokens",
  random_seed: "seed",
  seed: "seed",
};

/** Reads one field of a request as a setting; false where it is none. */
export function decodeSampling(wire: JsonObject, key: string, request: ModelRequest, context: DecodeContext): boolean {
  const { dialect } = context;
  const sampling: Sampling = request.sampling ?? {};
  const stop = wire[key];
  if (key === "stop" && typeof stop === "string") {
    sampling.stop = [stop];
    storeForm(request, dialect, key, "string");
  } else if (!SAMPLING.decode(wire, key, sampling)) return false;
  // Some vendors take more than OpenAI does.
  if (key === "stop" && !isFit(sampling.stop)) storeForm(request, dialect, key, "list");
  request.sampling = sampling;
  const vendor = vendorOf(context.vendor);
  const plain = Object.hasOwn(PLAIN, key) ? PLAIN[key] : undefined;
  if (plain !== undefined && key !== (vendor?.spelling?.[plain] ?? plain)) storeForm(request, dialect, plain, key);
  if (key === "top_k" && vendor?.takes?.includes(key) !== true) storeForm(request, dialect, key, true);
  return true;
}

export function encodeSampling(request: ModelRequest, wire: JsonObject, writing: Writing): void {
  const { context, dialect, vendor } = writing;
  const { sampling } = request;
  if (sampling === undefined) return;
  context.pathTracker.into("sampling", () => SAMPLING.encode(sampling, wire, context));
  const form = readForm(request, dialect);
  for (const plain of ["max_completion_tokens", "seed"]) {
    const spelled = form[plain] ?? vendor?.spelling?.[plain];
    if (wire[plain] === undefined || typeof spelled !== "string" || spelled === plain) continue;
    copyField(wire, plain, wire, spelled);
    delete wire[plain];
  }
  encodeStop(request, sampling, wire, writing);
  // Chat asks whether before how many.
  const isUnasked = sampling.topLogprobs !== undefined && sampling.logprobs === undefined;
  if (isUnasked && context.repair && isFree(request, "logprobs", writing)) {
    context.report.addLoss("field-filled", ["sampling", "logprobs"]);
    wire["logprobs"] = true;
  }
  if (wire["top_k"] !== undefined && form["top_k"] !== true && !takes("top_k", writing)) {
    context.report.addLoss("field-unsaid", ["sampling", "topK"]);
    delete wire["top_k"];
  }
}

const MAX_STOPS = 4;

function isFit(stop: readonly string[] = []): boolean {
  return stop.length > 0 && stop.length <= MAX_STOPS;
}

function encodeStop(request: ModelRequest, { stop }: Sampling, wire: JsonObject, writing: Writing): void {
  if (stop === undefined) return;
  const { report, repair } = writing.context;
  const form = spelling(request, "stop", writing);
  const [only] = stop;
  if (form === "string" && only !== undefined && stop.length === 1) wire["stop"] = only;
  if (!repair || isFit(stop) || form === "list" || !isOwn(writing.vendor)) return;
  if (stop.length === 0) {
    report.addLoss("stop-unfit", ["sampling", "stop"]);
    delete wire["stop"];
  } else {
    for (let at = MAX_STOPS; at < stop.length; at++) report.addLoss("stop-unfit", ["sampling", "stop", at]);
    wire["stop"] = stop.slice(0, MAX_STOPS);
  }
}

const FORMAT = "response_format";
const SCHEMA = "json_schema";
/** What the encoder looks into when it puts residue back. */
export const FORMAT_FIELDS = [FORMAT, SCHEMA] as const;

/** Reads the form of the output; false where it is one that the model has no word for. */
export function decodeOutput(wire: JsonValue, request: ModelRequest, context: DecodeContext): boolean {
  const output = isObject(wire) ? readOutput(wire, request, context) : undefined;
  if (output === undefined || !isObject(wire)) return false;
  request.output = output;
  keepOthers(request, wire, output.type === "json-schema" ? ["type", SCHEMA] : ["type"], context, FORMAT);
  return true;
}

function readOutput(wire: JsonObject, request: ModelRequest, context: DecodeContext): OutputFormat | undefined {
  const { type, [SCHEMA]: data } = wire;
  if (type === "text") return { type };
  if (type === "json_object") return { type: "json" };
  if (type !== SCHEMA || !isObject(data) || !isObject(data["schema"])) return undefined;
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
  keepOthers(request, data, known, context, FORMAT, SCHEMA);
  return output;
}

/** What stands for a name that nobody gave. */
const NAMELESS = "response";

export function encodeOutput(request: ModelRequest, wire: JsonObject, writing: Writing): void {
  const { output } = request;
  if (output === undefined) return;
  if (output.type !== "json-schema") {
    wire[FORMAT] = { type: output.type === "json" ? "json_object" : output.type };
    return;
  }
  const { context, dialect, names } = writing;
  const { name, description, strict, schema } = output;
  const data: JsonObject = {};
  const kept = request.extra?.[dialect]?.[FORMAT];
  // What was kept of the schema's wrapper stands two steps down.
  const inner = isObject(kept) && isObject(kept[SCHEMA]) ? kept[SCHEMA] : {};
  if (name !== undefined) data["name"] = names.toolName(name, ["output", "name"]);
  else if (spelling(request, "output", writing) !== "nameless" && !Object.hasOwn(inner, "name")) {
    data["name"] = NAMELESS;
    context.report.addLoss("field-filled", ["output", "name"]);
  }
  if (description !== undefined) data["description"] = description;
  data["schema"] = schema as JsonObject; // JSON by contract.
  if (strict !== undefined) writeStrict(data, strict, schema, ["output", "strict"], writing);
  wire[FORMAT] = { type: SCHEMA, [SCHEMA]: data };
}
