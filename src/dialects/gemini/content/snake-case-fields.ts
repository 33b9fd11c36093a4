// Gemini accepts Proto JSON names in camelCase and in snake_case (`inline_data`). Known fields are decoded in both
// spellings; the snake_case names are stored as form, so that the encoder can restore them.
import type { JsonObject } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";

export const SPELLING_FORM = "snake";

/** The field names, in camelCase, that are also decoded if they are spelled in snake_case. */
const KNOWN_FIELDS = new Set(
  (
    "inlineData fileData functionCall functionResponse toolCall toolResponse executableCode codeExecutionResult " +
    "systemInstruction generationConfig thinkingConfig toolConfig functionCallingConfig usageMetadata promptFeedback " +
    "thoughtSignature mimeType fileUri displayName toolType cachedContent topP topK presencePenalty " +
    "frequencyPenalty stopSequences maxOutputTokens candidateCount responseLogprobs responseMimeType responseSchema " +
    "responseJsonSchema thinkingLevel thinkingBudget includeThoughts allowedFunctionNames " +
    "parametersJsonSchema finishReason blockReason modelVersion responseId createTime promptTokenCount " +
    "candidatesTokenCount thoughtsTokenCount cachedContentTokenCount toolUsePromptTokenCount totalTokenCount"
  ).split(" "),
);

/**
 * The snake_case names of one object. Each name maps to true or, if the names inside its value are also in snake_case,
 * to the FieldSpelling of that value.
 */
export type FieldSpelling = JsonObject;

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the object with its known names in camelCase; adds the original snake_case names to `spelling`. */
export function normalizeFieldNames(wire: JsonObject, spelling: FieldSpelling): JsonObject {
  let normalized: JsonObject | undefined;
  for (const key in wire) {
    if (!key.includes("_") || !KNOWN_FIELDS.has(camelCase(key)) || Object.hasOwn(wire, camelCase(key))) continue;
    spelling[key] = true;
    normalized = {};
  }
  if (normalized === undefined) return wire;
  for (const key of Object.keys(wire)) {
    // Objects built in code may have undefined values. They are skipped, because JSON has no undefined.
    if (wire[key] !== undefined) copyField(wire, key, normalized, Object.hasOwn(spelling, key) ? camelCase(key) : key);
  }
  return normalized;
}

/**
 * Returns the object of the field `key` with its known names in camelCase; adds the original snake_case names to
 * `spelling`.
 */
export function normalizeInnerFieldNames(inner: JsonObject, key: string, spelling: FieldSpelling): JsonObject {
  const innerSpelling: FieldSpelling = {};
  const normalized = normalizeFieldNames(inner, innerSpelling);
  addInnerSpelling(spelling, key, innerSpelling);
  return normalized;
}

/** Adds the snake_case names inside the object of the field `key` to the spelling of the object that contains it. */
export function addInnerSpelling(spelling: FieldSpelling, key: string, innerSpelling: FieldSpelling): void {
  if (Object.keys(innerSpelling).length > 0) spelling[findWireName(key, spelling)] = innerSpelling;
}

/** Returns the name that a field had on the wire, in snake_case or camelCase. */
export function findWireName(key: string, spelling: FieldSpelling): string {
  return Object.keys(spelling).find((name) => camelCase(name) === key) ?? key;
}

/** Stores the snake_case names as form of `target`. */
export function storeSpelling(target: WithExtra, dialect: string, spelling: FieldSpelling): void {
  for (const _ in spelling) {
    storeForm(target, dialect, SPELLING_FORM, { ...readSpelling(target, dialect), ...spelling });
    return;
  }
}

function readSpelling(target: WithExtra, dialect: string): FieldSpelling | undefined {
  const spelling = target.extra === undefined ? undefined : readForm(target, dialect)[SPELLING_FORM];
  return isObject(spelling) ? spelling : undefined;
}

/** Returns the object with its stored snake_case names restored. */
export function restoreSpelling<T extends JsonObject>(
  wire: T,
  target: WithExtra,
  context: EncodeContext<"form-stale">,
): T {
  const spelling = readSpelling(target, context.dialect);
  if (spelling === undefined) return wire;
  const reportStale = (path: string[]): void =>
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", SPELLING_FORM, ...path]);
  // The cast is needed, because T does not declare the snake_case names that the result may have.
  return restoreFieldNames(wire, spelling, [], reportStale) as T;
}

function restoreFieldNames(
  wire: JsonObject,
  spelling: FieldSpelling,
  path: string[],
  reportStale: (path: string[]) => void,
): JsonObject {
  const wireNames = new Map(Object.keys(spelling).map((name) => [camelCase(name), name]));
  const restored: JsonObject = {};
  for (const key of Object.keys(wire)) {
    const name = wireNames.get(key);
    const entry = name === undefined ? undefined : spelling[name];
    const value = wire[key];
    wireNames.delete(key);
    if (name !== undefined && isObject(entry) && isObject(value))
      restored[name] = restoreFieldNames(value, entry, [...path, name], reportStale);
    else copyField(wire, key, restored, name !== undefined && entry === true ? name : key);
  }
  for (const name of wireNames.values()) reportStale([...path, name]);
  return restored;
}
