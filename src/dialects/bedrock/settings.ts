// Settings of requests, both ways: sampling, how hard the model thinks, the form of its answer. What a model's maker
// has for itself stands in a field of its own; of those, Anthropic's words for what the model has words for are read.
import type { JsonObject } from "../../model/json.ts";
import { copyObject, parseJson, sameJson, stringifyJson } from "../../model/json.ts";
import { JsonError } from "../../model/errors.ts";
import type { OutputFormat, ReasoningSettings, ModelRequest, Sampling } from "../../model/request.ts";
import { FieldTable } from "../kit/fields.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeResidue, storeForm } from "../kit/residue.ts";
import { keepRest } from "./fields.ts";
import type { Code } from "./losses.ts";
import { OTHERS } from "./models.ts";
import { EFFORT } from "./terms.ts";
import { isForced } from "./tool-config.ts";
import type { Writing } from "./writing.ts";

export const INFERENCE = "inferenceConfig";
export const MORE = "additionalModelRequestFields";
export const OUTPUT = "outputConfig";
const BUDGET = "budget_tokens";

const SAMPLING = new FieldTable<keyof Sampling>([
  ["maxTokens", "maxOutputTokens", "number"],
  ["temperature", "temperature", "number"],
  ["topP", "topP", "number"],
  ["stopSequences", "stop", "strings"],
]);
const MORE_SAMPLING = new FieldTable<keyof Sampling>([["top_k", "topK", "number"]]);

/** Reads the fields of an object that are settings; the rest is kept, and that there was nothing in it. */
function decodeSampling(
  wire: JsonObject,
  within: string,
  table: FieldTable<keyof Sampling>,
  request: ModelRequest,
  dialect: string,
  ...taken: string[]
): void {
  const sampling = request.sampling ?? {};
  for (const key in wire) {
    if (!table.decode(wire, key, sampling)) continue;
    request.sampling = sampling;
    taken.push(key);
  }
  if (taken.length === 0) storeResidue(request, dialect, {}, within);
  keepRest(request, wire, dialect, [within], ...taken);
}

export function decodeInference(wire: JsonObject, request: ModelRequest, dialect: string): void {
  decodeSampling(wire, INFERENCE, SAMPLING, request, dialect);
}

export function decodeMore(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const { thinking } = wire;
  const isRead = isObject(thinking) && readThinking(thinking, request);
  decodeSampling(wire, MORE, MORE_SAMPLING, request, dialect, ...(isRead ? ["thinking"] : []));
}

/** Takes over a budget, or that the model is not to think; false where there is no word for what is said. */
function readThinking(thinking: JsonObject, request: ModelRequest): boolean {
  const fields = Object.keys(thinking).length;
  const { type } = thinking;
  const reasoning: ReasoningSettings = request.reasoning ?? {};
  if (type === "enabled" && typeof thinking[BUDGET] === "number" && fields === 2) {
    copyField(thinking, BUDGET, reasoning, "budget");
  } else if (type === "disabled" && fields === 1 && reasoning.effort === undefined) reasoning.effort = "none";
  else return false;
  request.reasoning = reasoning;
  return true;
}

/** Effort is read before what may say that there is none. */
export function decodeOutput(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const { effort, textFormat } = wire;
  const taken: string[] = [];
  if (typeof effort === "string") {
    request.reasoning = { ...request.reasoning, effort };
    if (EFFORT.theirs(effort) !== effort) storeForm(request, dialect, "effort", "own");
    taken.push("effort");
  }
  if (isObject(textFormat) && readFormat(textFormat, request, dialect)) taken.push("textFormat");
  if (taken.length === 0) storeResidue(request, dialect, {}, OUTPUT);
  keepRest(request, wire, dialect, [OUTPUT], ...taken);
}

const FORMAT = [OUTPUT, "textFormat"];

function readFormat(format: JsonObject, request: ModelRequest, dialect: string): boolean {
  const { type, structure } = format;
  const wire = isObject(structure) ? structure["jsonSchema"] : undefined;
  if (type !== "json_schema" || !isObject(structure) || !isObject(wire)) return false;
  const text = wire["schema"];
  const schema = typeof text === "string" ? readSchema(text) : undefined;
  if (typeof text !== "string" || schema === undefined) return false;
  const output: OutputFormat = { type: "json-schema", schema };
  if (stringifyJson(schema) !== text) storeForm(request, dialect, "schema", text);
  const taken = ["schema"];
  for (const field of ["name", "description"] as const) {
    const value = wire[field];
    if (typeof value !== "string") continue;
    output[field] = value;
    taken.push(field);
  }
  request.output = output;
  keepRest(request, wire, dialect, [...FORMAT, "structure", "jsonSchema"], ...taken);
  keepRest(request, structure, dialect, [...FORMAT, "structure"], "jsonSchema");
  keepRest(request, format, dialect, FORMAT, "type", "structure");
  return true;
}

function readSchema(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Writes the settings; the trail stands at the request. */
export function encodeSettings(request: ModelRequest, wire: JsonObject, writing: Writing): void {
  const { context } = writing;
  const isOther = context.repair && OTHERS.test(request.model ?? "");
  const sampling: Sampling = copyObject(request.sampling ?? {});
  const { topK } = sampling;
  delete sampling.topK;
  const inference: JsonObject = {};
  const more: JsonObject = {};
  context.pathTracker.enter("sampling");
  SAMPLING.encode(sampling, inference, context);
  if (topK !== undefined) {
    if (isOther) context.report.addLoss("field-unsaid", "topK");
    else copyField(request.sampling ?? {}, "topK", more, "top_k");
  }
  context.pathTracker.leave();
  const output: JsonObject = {};
  encodeReasoning(request, output, more, isOther, writing);
  encodeFormat(request, output, writing);
  for (const [key, value] of [[INFERENCE, inference] as const, [MORE, more] as const, [OUTPUT, output] as const]) {
    if (Object.keys(value).length > 0) wire[key] = value;
  }
  if (context.repair) freeChoice(wire, writing);
}

function encodeReasoning(
  { reasoning, extra = {} }: ModelRequest,
  output: JsonObject,
  more: JsonObject,
  isOther: boolean,
  { context }: Writing,
): void {
  if (reasoning === undefined) return;
  const { effort, budget, summary } = reasoning;
  const lose = (code: Code, field: string): void => context.report.addLoss(code, ["reasoning", field]);
  const isOwn = readForm({ extra }, context.dialect)["effort"] === "own";
  const isOff = effort === "none" && !isOwn;
  if (summary !== undefined) lose("field-unsaid", "summary");
  if (budget !== undefined) {
    if (isOther || isOff) lose("field-unsaid", "budget");
    else {
      const thinking: JsonObject = { type: "enabled" };
      copyField(reasoning, "budget", thinking, BUDGET);
      more["thinking"] = thinking;
    }
  }
  if (effort === undefined) return;
  if (isOff) {
    if (isOther) lose("field-unsaid", "effort");
    else more["thinking"] = { type: "disabled" };
    return;
  }
  const word = isOwn ? effort : (EFFORT.theirs(effort) ?? "medium");
  if (word !== effort) lose("setting-approximated", "effort");
  output["effort"] = word;
}

function encodeFormat(request: ModelRequest, wire: JsonObject, { context }: Writing): void {
  const { output } = request;
  if (output === undefined || output.type === "text") return;
  if (output.type === "json") {
    context.report.addLoss("field-unsaid", "output", "JSON needs a schema here.");
    return;
  }
  const { schema, name, description, strict } = output;
  if (strict !== undefined) context.report.addLoss("field-unsaid", ["output", "strict"]);
  const spelled = readForm(request, context.dialect)["schema"];
  const isSame = typeof spelled === "string" && sameJson(readSchema(spelled), schema);
  const jsonSchema: JsonObject = { schema: isSame ? spelled : stringifyJson(schema) };
  if (name !== undefined) jsonSchema["name"] = name;
  if (description !== undefined) jsonSchema["description"] = description;
  wire["textFormat"] = { type: "json_schema", structure: { jsonSchema } };
}

/** A forced choice cannot be said while the model thinks (B55). */
function freeChoice(wire: JsonObject, { context }: Writing): void {
  const { [MORE]: more, toolConfig: config } = wire;
  const thinking = isObject(more) ? more["thinking"] : undefined;
  if (!isObject(thinking) || thinking["type"] !== "enabled") return;
  if (!isObject(config) || !isForced(config["toolChoice"])) return;
  context.report.addLoss("choice-unfit", "toolChoice");
  config["toolChoice"] = { auto: {} };
}
