// Proto JSON may be spelled with underscores (`inline_data`). What the model has words for is read in either spelling,
// and which names came with underscores is noted, so that they go back as they came.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";

export const SNAKE = "snake";

/** What the model has a word for, and what that stands in. */
const NAMES = new Set(
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

/** The names of an object that came with underscores, each true; or, of an object in it, those within. */
export type Spelling = JsonObject;

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The object with its names as they are known; `spelling` takes up those that came with underscores. */
export function readNames(wire: JsonObject, spelling: Spelling): JsonObject {
  let read: JsonObject | undefined;
  for (const key in wire) {
    if (!key.includes("_") || !NAMES.has(camelCase(key)) || Object.hasOwn(wire, camelCase(key))) continue;
    spelling[key] = true;
    read = {};
  }
  if (read === undefined) return wire;
  for (const key of Object.keys(wire)) {
    // Objects made in code may say undefined, which is no JSON.
    if (wire[key] !== undefined) copyField(wire, key, read, Object.hasOwn(spelling, key) ? camelCase(key) : key);
  }
  return read;
}

/** The same for an object that stands in the field `key` of that one. */
export function readInner(inner: JsonObject, key: string, spelling: Spelling): JsonObject {
  const within: Spelling = {};
  const read = readNames(inner, within);
  noteInner(spelling, key, within);
  return read;
}

/** Notes the names within the object in the field `key`. */
export function noteInner(spelling: Spelling, key: string, within: Spelling): void {
  if (Object.keys(within).length > 0) spelling[nameOf(key, spelling)] = within;
}

/** What a field is called where it came from. */
export function nameOf(key: string, spelling: Spelling): string {
  return Object.keys(spelling).find((name) => camelCase(name) === key) ?? key;
}

/** Notes the names that came with underscores. */
export function keepNames(target: { extra?: Extra }, dialect: string, spelling: Spelling): void {
  for (const _ in spelling) {
    storeForm(target, dialect, SNAKE, { ...spellingOf(target, dialect), ...spelling });
    return;
  }
}

function spellingOf(target: { extra?: Extra }, dialect: string): Spelling | undefined {
  const spelling = target.extra === undefined ? undefined : readForm(target, dialect)[SNAKE];
  return isObject(spelling) ? spelling : undefined;
}

/** The object with the names that came with underscores spelled so again. */
export function writeNames<T extends JsonObject>(
  wire: T,
  target: { extra?: Extra },
  context: EncodeContext<"form-stale">,
): T {
  const spelling = spellingOf(target, context.dialect);
  if (spelling === undefined) return wire;
  const stale = (path: string[]): void =>
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", SNAKE, ...path]);
  // The same object but for the spelling, which its type does not tell.
  return spell(wire, spelling, [], stale) as T;
}

function spell(wire: JsonObject, spelling: Spelling, path: string[], stale: (path: string[]) => void): JsonObject {
  const names = new Map(Object.keys(spelling).map((name) => [camelCase(name), name]));
  const written: JsonObject = {};
  for (const key of Object.keys(wire)) {
    const name = names.get(key);
    const note = name === undefined ? undefined : spelling[name];
    const value = wire[key];
    names.delete(key);
    if (name !== undefined && isObject(note) && isObject(value))
      written[name] = spell(value, note, [...path, name], stale);
    else copyField(wire, key, written, name !== undefined && note === true ? name : key);
  }
  for (const name of names.values()) stale([...path, name]);
  return written;
}
