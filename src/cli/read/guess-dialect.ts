// Detects the dialect of ambiguous payloads by the model name. `guessDialect`, which only `koine inspect` uses, returns
// the first dialect that can decode a payload, because messages with only text are the same in several dialects.
import type { Dialect } from "../../dialects/index.ts";
import { detectDialect, DialectError } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { JsonObject } from "../../model/index.ts";
import { detectMessageDialect, hasMessagesWithParts } from "./message-dialect.ts";
import type { RecordKind } from "./classify-record.ts";

interface DialectGuess {
  dialect: string;
  kind: RecordKind;
}

interface ModelMaker {
  /**
   * Matches the model names of the maker's own API. A name such as `vendor/model` belongs to a gateway and does not
   * match.
   */
  model: RegExp;
  /**
   * The dialects of the maker's requests: keys are names of the field that contains the conversation, values are
   * dialect ids.
   */
  dialectsByField: Readonly<Record<string, string>>;
}

const MODEL_MAKERS: readonly ModelMaker[] = [
  { model: /^claude-/, dialectsByField: { messages: "anthropic" } },
  {
    model: /^(ft:)?(chatgpt-|gpt-|o\d)(?!.*-(tts|transcribe|image))/,
    dialectsByField: { messages: "openai-chat", input: "openai-responses" },
  },
  { model: /^(models\/)?gemini-/, dialectsByField: { contents: "gemini" } },
];

/** Detects the dialect and kind of an object; undefined if no dialect or several dialects match. */
export function detectPayload(body: JsonObject, model: unknown): DialectGuess | undefined {
  return detectDialect(body) ?? detectByModelName(body, model);
}

/** Detects a request by the model name in its body or, if the body has none, in its envelope (`model`). */
function detectByModelName(body: JsonObject, model: unknown): DialectGuess | undefined {
  const name = body["model"] ?? model;
  if (typeof name !== "string") return undefined;
  const dialectsByField = MODEL_MAKERS.find((maker) => maker.model.test(name))?.dialectsByField ?? {};
  const [field = "", dialect] = Object.entries(dialectsByField).find(([each]) => body[each] !== undefined) ?? [];
  if (dialect === undefined || isOtherDialect(body[field], dialect)) return undefined;
  return { dialect, kind: "request" };
}

/** True if the messages are recognizable as messages of another dialect than `dialect`. */
function isOtherDialect(list: unknown, dialect: string): boolean {
  if (dialect === "gemini" || !Array.isArray(list)) return false;
  const detectedDialect = detectMessageDialect(list);
  return detectedDialect === undefined ? hasMessagesWithParts(list) : detectedDialect !== dialect;
}

/** The dialects that a guess tries for each kind of record, the most likely first. */
const LIKELY_DIALECTS = {
  request: ["openai-chat", "anthropic", "openai-responses", "gemini"],
  response: ["openai-chat", "anthropic", "openai-responses", "gemini"],
  messages: ["openai-chat", "anthropic", "ai-sdk-model"],
  error: ["openai-chat", "anthropic", "gemini"],
} as const satisfies Partial<Record<RecordKind, readonly string[]>>;

/**
 * The dialects that a guess tries for messages with `parts`. Chat, the first of LIKELY_DIALECTS, would decode such
 * messages without their content.
 */
const DIALECTS_WITH_PARTS = ["ai-sdk-ui", "canonical"];

/** Returns the most likely dialect that can decode the value; undefined if there is none, or for a stream. */
export function guessDialect(
  value: unknown,
  kind: RecordKind | undefined,
  dialectOf: (id: string) => Dialect,
): Dialect | undefined {
  if (kind === undefined || kind === "stream") return undefined;
  const list = isObject(value) ? value["messages"] : value;
  return (hasMessagesWithParts(list) ? DIALECTS_WITH_PARTS : LIKELY_DIALECTS[kind])
    .map(dialectOf)
    .find((dialect) => canDecode(dialect, kind, value));
}

function canDecode(dialect: Dialect, kind: keyof typeof LIKELY_DIALECTS, value: unknown): boolean {
  try {
    if (kind === "request") dialect.decodeRequest(value);
    else if (kind === "response") dialect.decodeResponse(value);
    else if (kind === "messages") dialect.decodeMessages(value);
    else dialect.decodeError(value);
    return true;
  } catch (error) {
    if (error instanceof DialectError) return false;
    throw error;
  }
}
