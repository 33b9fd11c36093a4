// Decodes and encodes request settings: sampling, reasoning, output format. Settings that only some models have are in
// `additionalModelRequestFields`; of these, Anthropic's `top_k` and `thinking` have canonical fields.
import { JsonError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { copyObject, parseJson, sameJson, stringifyJson } from "../../../model/json/index.ts";
import type { ModelRequest, OutputFormat, ReasoningSettings, Sampling } from "../../../model/request.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm, storeResidue } from "../../kit/residue/residue.ts";
import { storeRest } from "../content/cache-point.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import type { BedrockLoss } from "../losses.ts";
import { EFFORTS } from "../terms.ts";
import { NON_ANTHROPIC_MODELS } from "./model-traits.ts";
import { isForced } from "./tool-config.ts";

export const INFERENCE_CONFIG = "inferenceConfig";
export const ADDITIONAL_FIELDS = "additionalModelRequestFields";
export const OUTPUT_CONFIG = "outputConfig";
const BUDGET = "budget_tokens";

const INFERENCE_SAMPLING = new FieldTable<keyof Sampling>([
  ["maxTokens", "maxOutputTokens", "number"],
  ["temperature", "temperature", "number"],
  ["topP", "topP", "number"],
  ["stopSequences", "stop", "strings"],
]);
const ADDITIONAL_SAMPLING = new FieldTable<keyof Sampling>([["top_k", "topK", "number"]]);

/**
 * Decodes the sampling fields of `wire`, the value of the request field `key`. An empty object and unknown fields
 * become residue.
 */
function decodeSampling(
  wire: JsonObject,
  key: string,
  table: FieldTable<keyof Sampling>,
  request: ModelRequest,
  dialect: string,
  ...decoded: string[]
): void {
  const sampling = request.sampling ?? {};
  for (const field in wire) {
    if (!table.decode(wire, field, sampling)) continue;
    request.sampling = sampling;
    decoded.push(field);
  }
  if (decoded.length === 0) storeResidue(request, dialect, {}, key);
  storeRest(request, wire, dialect, [key], ...decoded);
}

export function decodeInferenceConfig(wire: JsonObject, request: ModelRequest, dialect: string): void {
  decodeSampling(wire, INFERENCE_CONFIG, INFERENCE_SAMPLING, request, dialect);
}

export function decodeAdditionalFields(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const { thinking } = wire;
  const isDecoded = isObject(thinking) && decodeThinking(thinking, request);
  decodeSampling(wire, ADDITIONAL_FIELDS, ADDITIONAL_SAMPLING, request, dialect, ...(isDecoded ? ["thinking"] : []));
}

/**
 * Decodes `thinking`. Returns false, so that it becomes residue, unless it has exactly the fields of a token budget or
 * of disabled thinking.
 */
function decodeThinking(thinking: JsonObject, request: ModelRequest): boolean {
  const fieldCount = Object.keys(thinking).length;
  const { type } = thinking;
  const reasoning: ReasoningSettings = request.reasoning ?? {};
  if (type === "enabled" && typeof thinking[BUDGET] === "number" && fieldCount === 2) {
    copyField(thinking, BUDGET, reasoning, "budget");
  } else if (type === "disabled" && fieldCount === 1 && reasoning.effort === undefined) reasoning.effort = "none";
  else return false;
  request.reasoning = reasoning;
  return true;
}

/**
 * Decodes effort and output format. It runs before `thinking` is decoded, because an effort takes precedence over
 * disabled thinking.
 */
export function decodeOutputConfig(wire: JsonObject, request: ModelRequest, dialect: string): void {
  const { effort, textFormat } = wire;
  const decoded: string[] = [];
  if (typeof effort === "string") {
    request.reasoning = { ...request.reasoning, effort };
    if (EFFORTS.toWire(effort) !== effort) storeForm(request, dialect, "effort", "own");
    decoded.push("effort");
  }
  if (isObject(textFormat) && decodeTextFormat(textFormat, request, dialect)) decoded.push("textFormat");
  if (decoded.length === 0) storeResidue(request, dialect, {}, OUTPUT_CONFIG);
  storeRest(request, wire, dialect, [OUTPUT_CONFIG], ...decoded);
}

const TEXT_FORMAT_PATH = [OUTPUT_CONFIG, "textFormat"];

/** Decodes a JSON schema output format into the request; returns false if the format has another shape. */
function decodeTextFormat(format: JsonObject, request: ModelRequest, dialect: string): boolean {
  const { type, structure } = format;
  const wire = isObject(structure) ? structure["jsonSchema"] : undefined;
  if (type !== "json_schema" || !isObject(structure) || !isObject(wire)) return false;
  const schemaText = wire["schema"];
  const schema = typeof schemaText === "string" ? parseSchema(schemaText) : undefined;
  if (typeof schemaText !== "string" || schema === undefined) return false;
  const output: OutputFormat = { type: "json-schema", schema };
  if (stringifyJson(schema) !== schemaText) storeForm(request, dialect, "schema", schemaText);
  const decoded = ["schema"];
  for (const field of ["name", "description"] as const) {
    const value = wire[field];
    if (typeof value !== "string") continue;
    output[field] = value;
    decoded.push(field);
  }
  request.output = output;
  storeRest(request, wire, dialect, [...TEXT_FORMAT_PATH, "structure", "jsonSchema"], ...decoded);
  storeRest(request, structure, dialect, [...TEXT_FORMAT_PATH, "structure"], "jsonSchema");
  storeRest(request, format, dialect, TEXT_FORMAT_PATH, "type", "structure");
  return true;
}

/** Returns the object in a JSON text; undefined if the text is not valid JSON or not an object. */
function parseSchema(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Encodes sampling, reasoning and output format; the path tracker is at the request. */
export function encodeSettings(request: ModelRequest, wire: JsonObject, state: BedrockEncodeState): void {
  const { context } = state;
  const isNonAnthropic = context.repair && NON_ANTHROPIC_MODELS.test(request.model ?? "");
  const sampling: Sampling = copyObject(request.sampling ?? {});
  const { topK } = sampling;
  delete sampling.topK;
  const inferenceConfig: JsonObject = {};
  const additionalFields: JsonObject = {};
  context.pathTracker.enter("sampling");
  INFERENCE_SAMPLING.encode(sampling, inferenceConfig, context);
  if (topK !== undefined) {
    if (isNonAnthropic) context.report.addLoss("field-unsupported", "topK");
    else copyField(request.sampling ?? {}, "topK", additionalFields, "top_k");
  }
  context.pathTracker.leave();
  const outputConfig: JsonObject = {};
  encodeReasoning(request, outputConfig, additionalFields, isNonAnthropic, state);
  encodeTextFormat(request, outputConfig, state);
  for (const [key, value] of [
    [INFERENCE_CONFIG, inferenceConfig] as const,
    [ADDITIONAL_FIELDS, additionalFields] as const,
    [OUTPUT_CONFIG, outputConfig] as const,
  ]) {
    if (Object.keys(value).length > 0) wire[key] = value;
  }
  if (context.repair) releaseForcedChoice(wire, state);
}

function encodeReasoning(
  { reasoning, extra = {} }: ModelRequest,
  outputConfig: JsonObject,
  additionalFields: JsonObject,
  isNonAnthropic: boolean,
  { context }: BedrockEncodeState,
): void {
  if (reasoning === undefined) return;
  const { effort, budget, summary } = reasoning;
  const addLoss = (code: BedrockLoss, field: string): void => context.report.addLoss(code, ["reasoning", field]);
  const isOwnEffort = readForm({ extra }, context.dialect)["effort"] === "own";
  const isOff = effort === "none" && !isOwnEffort;
  if (summary !== undefined) addLoss("field-unsupported", "summary");
  if (budget !== undefined) {
    if (isNonAnthropic || isOff) addLoss("field-unsupported", "budget");
    else {
      const thinking: JsonObject = { type: "enabled" };
      copyField(reasoning, "budget", thinking, BUDGET);
      additionalFields["thinking"] = thinking;
    }
  }
  if (effort === undefined) return;
  if (isOff) {
    if (isNonAnthropic) addLoss("field-unsupported", "effort");
    else additionalFields["thinking"] = { type: "disabled" };
    return;
  }
  const wireEffort = isOwnEffort ? effort : (EFFORTS.toWire(effort) ?? "medium");
  if (wireEffort !== effort) addLoss("setting-approximated", "effort");
  outputConfig["effort"] = wireEffort;
}

function encodeTextFormat(request: ModelRequest, outputConfig: JsonObject, { context }: BedrockEncodeState): void {
  const { output } = request;
  if (output === undefined || output.type === "text") return;
  if (output.type === "json") {
    context.report.addLoss("field-unsupported", "output", "JSON output is supported only with a schema.");
    return;
  }
  const { schema, name, description, strict } = output;
  if (strict !== undefined) context.report.addLoss("field-unsupported", ["output", "strict"]);
  const storedText = readForm(request, context.dialect)["schema"];
  const isUnchanged = typeof storedText === "string" && sameJson(parseSchema(storedText), schema);
  const jsonSchema: JsonObject = { schema: isUnchanged ? storedText : stringifyJson(schema) };
  if (name !== undefined) jsonSchema["name"] = name;
  if (description !== undefined) jsonSchema["description"] = description;
  outputConfig["textFormat"] = { type: "json_schema", structure: { jsonSchema } };
}

/** Replaces a forced tool choice by `auto`, because Bedrock rejects a forced choice together with thinking (B55). */
function releaseForcedChoice(wire: JsonObject, { context }: BedrockEncodeState): void {
  const { [ADDITIONAL_FIELDS]: additionalFields, toolConfig } = wire;
  const thinking = isObject(additionalFields) ? additionalFields["thinking"] : undefined;
  if (!isObject(thinking) || thinking["type"] !== "enabled") return;
  if (!isObject(toolConfig) || !isForced(toolConfig["toolChoice"])) return;
  context.report.addLoss("tool-choice-incompatible", "toolChoice");
  toolConfig["toolChoice"] = { auto: {} };
}
