// Proto JSON may be spelled with underscores (`inline_data`). What the model has words for is read in either spelling,
// and which names came with underscores is noted, so that they go back as they came.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { formOf, keepForm } from "../kit/residue.ts";

const SNAKE = "snake";

/** Objects in which names are the wire's own, too. */
const WITHIN =
  "inlineData fileData functionCall functionResponse toolCall toolResponse executableCode codeExecutionResult " +
  "systemInstruction generationConfig thinkingConfig toolConfig functionCallingConfig usageMetadata promptFeedback candidates config";

const NAMES = new Set(
  (
    `${WITHIN} thoughtSignature mimeType fileUri displayName toolType cachedContent topP topK presencePenalty ` +
    "frequencyPenalty stopSequences maxOutputTokens candidateCount responseLogprobs responseMimeType responseSchema " +
    "responseJsonSchema thinkingLevel thinkingBudget includeThoughts allowedFunctionNames functionDeclarations " +
    "parametersJsonSchema finishReason blockReason modelVersion responseId createTime promptTokenCount " +
    "candidatesTokenCount thoughtsTokenCount cachedContentTokenCount toolUsePromptTokenCount totalTokenCount"
  ).split(" "),
);
const INNER = new Set(WITHIN.split(" "));

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Whether a name is one that the model has a word for, spelled with underscores. */
function isSnake(name: string): boolean {
  return name.includes("_") && NAMES.has(camelCase(name));
}

/** The object with its names as they are known; `spelled` takes up those that came with underscores. */
export function readNames(wire: JsonObject, spelled: string[]): JsonObject {
  let own: string[] | undefined;
  for (const key in wire) if (isSnake(key) && !Object.hasOwn(wire, camelCase(key))) (own ??= []).push(key);
  if (own === undefined) return wire;
  spelled.push(...own);
  const read: JsonObject = {};
  for (const key of Object.keys(wire)) {
    // Objects made in code may say undefined, which is no JSON.
    if (wire[key] !== undefined) copyField(wire, key, read, own.includes(key) ? camelCase(key) : key);
  }
  return read;
}

/** Notes the names that came with underscores. */
export function keepNames(target: { extra?: Extra }, dialect: string, spelled: readonly string[]): void {
  if (spelled.length > 0) keepForm(target, dialect, SNAKE, [...snakeNames(target, dialect), ...spelled]);
}

/** The names that came with underscores. */
function snakeNames(target: { extra?: Extra }, dialect: string): string[] {
  const names = target.extra === undefined ? undefined : formOf(target, dialect)[SNAKE];
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** The object with the names that came with underscores spelled so again. */
export function writeNames<T extends JsonObject>(
  wire: T,
  target: { extra?: Extra },
  context: EncodeContext<"form-stale">,
): T {
  const names = snakeNames(target, context.dialect);
  if (names.length === 0) return wire;
  const spellings = new Map(names.map((name) => [camelCase(name), name]));
  const used = new Set<string>();
  const written = spell(wire, spellings, used);
  for (const [at, name] of names.entries()) {
    if (!used.has(name)) context.report.lose("form-stale", ["extra", context.dialect, "$form", SNAKE, at]);
  }
  // The same object but for the spelling, which its type does not tell.
  return written as T;
}

function spell(wire: JsonObject, spellings: ReadonlyMap<string, string>, used: Set<string>): JsonObject {
  const written: JsonObject = {};
  for (const key of Object.keys(wire)) {
    const name = spellings.get(key) ?? key;
    if (name !== key) used.add(name);
    const value = wire[key];
    if (INNER.has(key) && isObject(value)) written[name] = spell(value, spellings, used);
    else copyField(wire, key, written, name);
  }
  return written;
}
