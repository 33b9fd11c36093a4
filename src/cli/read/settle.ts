// Payloads that could be of several dialects: the name of the model settles most of them. Where a person only wants to
// look, the first dialect that can read the rest will do, too, because plain texts are the same in all.
import type { Dialect } from "../../dialects/index.ts";
import { detect, DialectError, isObject } from "../../dialects/index.ts";
import type { JsonObject } from "../../model/index.ts";
import { dialectOfMessages, haveParts } from "./messages.ts";
import type { Kind } from "./recognise.ts";

interface Told {
  dialect: string;
  kind: Kind;
}

interface Maker {
  /** As the maker itself is asked for it; names with a slash go to gateways that take anybody's models. */
  model: RegExp;
  /** Where the conversation stands, and what is then spoken. */
  speaks: Readonly<Record<string, string>>;
}

const MAKERS: readonly Maker[] = [
  { model: /^claude-/, speaks: { messages: "anthropic" } },
  {
    model: /^(ft:)?(chatgpt-|gpt-|o\d)(?!.*-(tts|transcribe|image))/,
    speaks: { messages: "openai-chat", input: "openai-responses" },
  },
  { model: /^(models\/)?gemini-/, speaks: { contents: "gemini" } },
];

/** What an object is; undefined where it could be two things, or nobody knows it. */
export function tell(body: JsonObject, model: unknown): Told | undefined {
  return detect(body) ?? settle(body, model);
}

/** A request by the name of its model; `model` is the one in its address. */
function settle(body: JsonObject, model: unknown): Told | undefined {
  const name = body["model"] ?? model;
  if (typeof name !== "string") return undefined;
  const speaks = MAKERS.find((maker) => maker.model.test(name))?.speaks ?? {};
  const [field = "", dialect] = Object.entries(speaks).find(([each]) => body[each] !== undefined) ?? [];
  if (dialect === undefined || isOthers(body[field], dialect)) return undefined;
  return { dialect, kind: "request" };
}

/** Whether the messages show that they are of another shape, such as an app's own. */
function isOthers(list: unknown, dialect: string): boolean {
  if (dialect === "gemini" || !Array.isArray(list)) return false;
  const shown = dialectOfMessages(list);
  return shown === undefined ? haveParts(list) : shown !== dialect;
}

/** Who may have said it, the likeliest first. */
const GUESSES = {
  request: ["openai-chat", "anthropic", "openai-responses", "gemini"],
  response: ["openai-chat", "anthropic", "openai-responses", "gemini"],
  messages: ["openai-chat", "anthropic", "ai-sdk-model"],
  error: ["openai-chat", "anthropic", "gemini"],
} as const satisfies Partial<Record<Kind, readonly string[]>>;

/** Whose parts they may be. Chat would read messages that have some, and find nothing said. */
const OF_PARTS = ["ai-sdk-ui", "canonical"];

/** The first dialect that can read it. */
export function guess(value: unknown, kind: Kind | undefined, dialectOf: (id: string) => Dialect): Dialect | undefined {
  if (kind === undefined || kind === "stream") return undefined;
  const list = isObject(value) ? value["messages"] : value;
  return (haveParts(list) ? OF_PARTS : GUESSES[kind]).map(dialectOf).find((dialect) => reads(dialect, kind, value));
}

function reads(dialect: Dialect, kind: keyof typeof GUESSES, value: unknown): boolean {
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
