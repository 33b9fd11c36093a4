// Settings: how to sample, how much to think, what form the answer has. What the model has no word for stays where it
// stood, in `generationConfig`.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { OutputFormat, ReasoningSettings, ModelRequest, Sampling } from "../../model/request.ts";
import type { EncodeContext } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm, reportUnsupportedFields } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { keepRest } from "./reading.ts";
import { decodeSchema, encodeSchema, OUTPUT } from "./schemas.ts";
import type { Spelling } from "./snake.ts";
import { readInner, readNames } from "./snake.ts";
import { BUDGETS, LEVELS, OLD_MODEL } from "./terms.ts";

const SAMPLING = new FieldTable<keyof Sampling>([
  ["temperature", "temperature", "number"],
  ["topP", "topP", "number"],
  ["topK", "topK", "number"],
  ["seed", "seed", "number"],
  ["presencePenalty", "presencePenalty", "number"],
  ["frequencyPenalty", "frequencyPenalty", "number"],
  ["stopSequences", "stop", "strings"],
  ["maxOutputTokens", "maxOutputTokens", "number"],
  ["candidateCount", "n", "number"],
  ["responseLogprobs", "logprobs", "boolean"],
  ["logprobs", "topLogprobs", "number"],
]);

export function decodeConfig(given: JsonObject, request: ModelRequest, spelling: Spelling, dialect: string): void {
  const wire = readNames(given, spelling);
  const taken: string[] = [];
  const sampling: Sampling = {};
  for (const key of Object.keys(wire)) if (SAMPLING.decode(wire, key, sampling)) taken.push(key);
  if (taken.length > 0) request.sampling = sampling;
  if (isObject(wire["thinkingConfig"])) {
    taken.push("thinkingConfig");
    decodeThinking(readInner(wire["thinkingConfig"], "thinkingConfig", spelling), request, dialect);
  }
  const output = decodeOutput(wire, request, taken, dialect);
  if (output !== undefined) request.output = output;
  keepRest(request, wire, taken, dialect, "generationConfig");
}

function decodeThinking(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const reasoning: ReasoningSettings = {};
  const taken: string[] = [];
  const { thinkingLevel: level, thinkingBudget: budget } = wire;
  const effort = typeof level === "string" ? LEVELS.ours(level.toUpperCase()) : undefined;
  const isLower = typeof level === "string" && level === level.toLowerCase();
  if (effort !== undefined && (isLower || level === LEVELS.theirs(effort))) {
    reasoning.effort = effort;
    taken.push("thinkingLevel");
    if (isLower) storeForm(request, dialect, "level", "lower");
  }
  if (typeof budget === "number" && (budget > 0 || (budget === 0 && level === undefined))) {
    taken.push("thinkingBudget");
    // No thinking at all is an effort that others know, too; a negative budget leaves it to the model.
    if (budget === 0) reasoning.effort = "none";
    else copyField(wire, "thinkingBudget", reasoning, "budget");
  }
  if (wire["includeThoughts"] === true) {
    reasoning.summary = "auto";
    taken.push("includeThoughts");
  }
  if (taken.length > 0) request.reasoning = reasoning;
  keepRest(request, wire, taken, dialect, "generationConfig", "thinkingConfig");
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

function decodeOutput(
  wire: JsonObject,
  target: { extra?: Extra },
  taken: string[],
  dialect: string,
): OutputFormat | undefined {
  const { responseMimeType: type, responseSchema, responseJsonSchema } = wire;
  const isBare = responseSchema === undefined && responseJsonSchema === undefined;
  let output: OutputFormat | undefined;
  if (type === TEXT_TYPE && isBare) output = { type: "text" };
  else if (type === JSON_TYPE && isBare) output = { type: "json" };
  else if (type === JSON_TYPE) {
    const schema = decodeSchema(wire, OUTPUT, target, taken, dialect);
    if (schema !== undefined) output = { type: "json-schema", schema };
  }
  if (output !== undefined) taken.push("responseMimeType");
  return output;
}

/** `generationConfig`; undefined where there is nothing to set. */
export function encodeConfig(request: ModelRequest, context: EncodeContext<Code>): JsonObject | undefined {
  const { sampling, reasoning, output } = request;
  const { pathTracker: trail } = context;
  const wire: JsonObject = {};
  if (sampling !== undefined) trail.into("sampling", () => encodeSampling(sampling, wire, context));
  const thinking = reasoning && trail.into("reasoning", () => encodeThinking(reasoning, request, context));
  if (thinking !== undefined) wire["thinkingConfig"] = thinking;
  if (output !== undefined) trail.into("output", () => encodeOutput(output, request, wire, context));
  return Object.keys(wire).length > 0 ? wire : undefined;
}

/** More are refused. */
const MAX_STOPS = 5;

function encodeSampling(sampling: Sampling, wire: JsonObject, context: EncodeContext<Code>): void {
  const { stop = [], logprobs, topLogprobs } = sampling;
  SAMPLING.encode(sampling, wire, context);
  if (!context.repair) return;
  if (stop.length > MAX_STOPS) wire["stopSequences"] = stop.slice(0, MAX_STOPS);
  for (let at = MAX_STOPS; at < stop.length; at++) context.report.addLoss("stop-surplus", ["stop", at]);
  if (topLogprobs !== undefined && logprobs === undefined) {
    context.report.addLoss("logprobs-made", "logprobs");
    wire["responseLogprobs"] = true;
  }
}

const REASONING: ReadonlySet<string> = new Set(["effort", "budget", "summary"]);

function encodeThinking(
  reasoning: ReasoningSettings,
  request: ModelRequest,
  context: EncodeContext<Code>,
): JsonObject | undefined {
  const { effort, budget, summary } = reasoning;
  const { report } = context;
  const wire: JsonObject = {};
  reportUnsupportedFields(reasoning, REASONING, context, "field-unsaid");
  if (effort !== undefined) encodeEffort(effort, request, wire, context);
  if (budget !== undefined) {
    // The one excludes the other.
    if (context.repair && Object.keys(wire).length > 0) report.addLoss("field-unsaid", "budget");
    else copyField(reasoning, "budget", wire, "thinkingBudget");
  }
  if (summary !== undefined) {
    wire["includeThoughts"] = true;
    if (summary !== "auto") report.addLoss("setting-nearest", "summary");
  }
  return Object.keys(wire).length > 0 ? wire : undefined;
}

function encodeEffort(effort: string, request: ModelRequest, wire: JsonObject, context: EncodeContext<Code>): void {
  const { report, dialect } = context;
  const level = LEVELS.theirs(effort);
  if (effort === "none") wire["thinkingBudget"] = 0;
  else if (level === undefined) report.addLoss("field-unsaid", "effort");
  else if (context.repair && OLD_MODEL.test(request.model ?? "")) {
    report.addLoss("effort-as-budget", "effort");
    wire["thinkingBudget"] = BUDGETS[level] ?? 0;
  } else {
    const isLower = readForm(request, dialect)["level"] === "lower";
    wire["thinkingLevel"] = isLower ? level.toLowerCase() : level;
    if (LEVELS.ours(level) !== effort) report.addLoss("setting-nearest", "effort");
  }
}

const OUTPUT_FIELDS: ReadonlySet<string> = new Set(["type", "schema"]);

function encodeOutput(
  output: OutputFormat,
  request: ModelRequest,
  wire: JsonObject,
  context: EncodeContext<Code>,
): void {
  reportUnsupportedFields(output, OUTPUT_FIELDS, context, "field-unsaid");
  wire["responseMimeType"] = output.type === "text" ? TEXT_TYPE : JSON_TYPE;
  if (output.type === "json-schema") encodeSchema(output.schema, "schema", OUTPUT, request, wire, context);
}
