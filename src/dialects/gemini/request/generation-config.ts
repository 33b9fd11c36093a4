// Decodes and encodes `generationConfig`, which contains sampling, thinking and the output format. Fields without a
// canonical equivalent are stored as residue under `generationConfig`.
import type { JsonObject } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { OutputFormat, ReasoningSettings, ModelRequest, Sampling } from "../../../model/request.ts";
import type { EncodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { GeminiLossCode } from "../losses.ts";
import { storeUnknownFields } from "../content/decode-state.ts";
import { decodeSchema, encodeSchema, OUTPUT_SCHEMA } from "../schema/schema-fields.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import { normalizeInnerFieldNames, normalizeFieldNames } from "../content/snake-case-fields.ts";
import { LEVEL_BUDGETS, THINKING_LEVELS, MODEL_BEFORE_3 } from "../terms.ts";

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

export function decodeGenerationConfig(
  rawConfig: JsonObject,
  request: ModelRequest,
  spelling: FieldSpelling,
  dialect: string,
): void {
  const wire = normalizeFieldNames(rawConfig, spelling);
  const decodedKeys: string[] = [];
  const sampling: Sampling = {};
  for (const key of Object.keys(wire)) if (SAMPLING.decode(wire, key, sampling)) decodedKeys.push(key);
  if (decodedKeys.length > 0) request.sampling = sampling;
  if (isObject(wire["thinkingConfig"])) {
    decodedKeys.push("thinkingConfig");
    decodeThinking(normalizeInnerFieldNames(wire["thinkingConfig"], "thinkingConfig", spelling), request, dialect);
  }
  const output = decodeOutput(wire, request, decodedKeys, dialect);
  if (output !== undefined) request.output = output;
  storeUnknownFields(request, wire, decodedKeys, dialect, "generationConfig");
}

function decodeThinking(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const reasoning: ReasoningSettings = {};
  const decodedKeys: string[] = [];
  const { thinkingLevel: level, thinkingBudget: budget } = wire;
  const effort = typeof level === "string" ? THINKING_LEVELS.toModel(level.toUpperCase()) : undefined;
  const isLowerCase = typeof level === "string" && level === level.toLowerCase();
  if (effort !== undefined && (isLowerCase || level === THINKING_LEVELS.toWire(effort))) {
    reasoning.effort = effort;
    decodedKeys.push("thinkingLevel");
    if (isLowerCase) storeForm(request, dialect, "level", "lower");
  }
  if (typeof budget === "number" && (budget > 0 || (budget === 0 && level === undefined))) {
    decodedKeys.push("thinkingBudget");
    // A budget of 0 is the canonical effort "none". A negative budget means that the model decides; it is stored as
    // residue.
    if (budget === 0) reasoning.effort = "none";
    else copyField(wire, "thinkingBudget", reasoning, "budget");
  }
  if (wire["includeThoughts"] === true) {
    reasoning.summary = "auto";
    decodedKeys.push("includeThoughts");
  }
  if (decodedKeys.length > 0) request.reasoning = reasoning;
  storeUnknownFields(request, wire, decodedKeys, dialect, "generationConfig", "thinkingConfig");
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

function decodeOutput(
  wire: JsonObject,
  target: WithExtra,
  decodedKeys: string[],
  dialect: string,
): OutputFormat | undefined {
  const { responseMimeType: mimeType, responseSchema, responseJsonSchema } = wire;
  const hasNoSchema = responseSchema === undefined && responseJsonSchema === undefined;
  let output: OutputFormat | undefined;
  if (mimeType === TEXT_TYPE && hasNoSchema) output = { type: "text" };
  else if (mimeType === JSON_TYPE && hasNoSchema) output = { type: "json" };
  else if (mimeType === JSON_TYPE) {
    const schema = decodeSchema(wire, OUTPUT_SCHEMA, target, decodedKeys, dialect);
    if (schema !== undefined) output = { type: "json-schema", schema };
  }
  if (output !== undefined) decodedKeys.push("responseMimeType");
  return output;
}

/** Encodes `generationConfig`; returns undefined if it would be empty. */
export function encodeGenerationConfig(
  request: ModelRequest,
  context: EncodeContext<GeminiLossCode>,
): JsonObject | undefined {
  const { sampling, reasoning, output } = request;
  const { pathTracker } = context;
  const wire: JsonObject = {};
  if (sampling !== undefined) pathTracker.into("sampling", () => encodeSampling(sampling, wire, context));
  const thinking = reasoning && pathTracker.into("reasoning", () => encodeThinking(reasoning, request, context));
  if (thinking !== undefined) wire["thinkingConfig"] = thinking;
  if (output !== undefined) pathTracker.into("output", () => encodeOutput(output, request, wire, context));
  return Object.keys(wire).length > 0 ? wire : undefined;
}

/** The maximum number of stop sequences that Gemini accepts. */
const MAX_STOP_SEQUENCES = 5;

function encodeSampling(sampling: Sampling, wire: JsonObject, context: EncodeContext<GeminiLossCode>): void {
  const { stop = [], logprobs, topLogprobs } = sampling;
  SAMPLING.encode(sampling, wire, context);
  if (!context.repair) return;
  if (stop.length > MAX_STOP_SEQUENCES) wire["stopSequences"] = stop.slice(0, MAX_STOP_SEQUENCES);
  for (let at = MAX_STOP_SEQUENCES; at < stop.length; at++) context.report.addLoss("stop-sequence-limit", ["stop", at]);
  if (topLogprobs !== undefined && logprobs === undefined) {
    context.report.addLoss("logprobs-enabled", "logprobs");
    wire["responseLogprobs"] = true;
  }
}

const REASONING_FIELDS: ReadonlySet<string> = new Set(["effort", "budget", "summary"]);

function encodeThinking(
  reasoning: ReasoningSettings,
  request: ModelRequest,
  context: EncodeContext<GeminiLossCode>,
): JsonObject | undefined {
  const { effort, budget, summary } = reasoning;
  const { report } = context;
  const wire: JsonObject = {};
  reportUnsupportedFields(reasoning, REASONING_FIELDS, context, "field-unsupported");
  if (effort !== undefined) encodeEffort(effort, request, wire, context);
  if (budget !== undefined) {
    // The effort has already set `thinkingLevel` or `thinkingBudget`. Gemini rejects a level together with a budget, so
    // the budget of the request is dropped.
    if (context.repair && Object.keys(wire).length > 0) report.addLoss("field-unsupported", "budget");
    else copyField(reasoning, "budget", wire, "thinkingBudget");
  }
  if (summary !== undefined) {
    wire["includeThoughts"] = true;
    if (summary !== "auto") report.addLoss("setting-approximated", "summary");
  }
  return Object.keys(wire).length > 0 ? wire : undefined;
}

function encodeEffort(
  effort: string,
  request: ModelRequest,
  wire: JsonObject,
  context: EncodeContext<GeminiLossCode>,
): void {
  const { report, dialect } = context;
  const level = THINKING_LEVELS.toWire(effort);
  if (effort === "none") wire["thinkingBudget"] = 0;
  else if (level === undefined) report.addLoss("field-unsupported", "effort");
  else if (context.repair && MODEL_BEFORE_3.test(request.model ?? "")) {
    report.addLoss("effort-as-budget", "effort");
    wire["thinkingBudget"] = LEVEL_BUDGETS[level] ?? 0;
  } else {
    const isLowerCase = readForm(request, dialect)["level"] === "lower";
    wire["thinkingLevel"] = isLowerCase ? level.toLowerCase() : level;
    if (THINKING_LEVELS.toModel(level) !== effort) report.addLoss("setting-approximated", "effort");
  }
}

const OUTPUT_FIELDS: ReadonlySet<string> = new Set(["type", "schema"]);

function encodeOutput(
  output: OutputFormat,
  request: ModelRequest,
  wire: JsonObject,
  context: EncodeContext<GeminiLossCode>,
): void {
  reportUnsupportedFields(output, OUTPUT_FIELDS, context, "field-unsupported");
  wire["responseMimeType"] = output.type === "text" ? TEXT_TYPE : JSON_TYPE;
  if (output.type === "json-schema") encodeSchema(output.schema, "schema", OUTPUT_SCHEMA, request, wire, context);
}
