// What makes two calls the same question.
import type { Message, ModelRequest } from "../../model/index.ts";
import { exactNumbers } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import { readHeaders } from "../providers/headers.ts";
import type { Call } from "./types.ts";

/**
 * Everything of a call that its answer may depend on, as one text: the request and who is asked, whatever the order of
 * keys. Not in it: whether it is streamed, what messages are called and when they were made, limits and the caller's own facts.
 */
export function callKey({ request, options }: Call): string {
  const { provider, fallbacks, onBreaks, repair } = options;
  const headers = options.headers && readHeaders(options.headers, "/headers");
  const { stream: _, messages, ...rest } = request;
  const question: ModelRequest = { ...rest, messages: messages.map(bare) };
  const key = { request: question, options: { provider, fallbacks, headers, onBreaks, repair } };
  const digits = exactNumbers(key).map(({ path, text }) => `${path} ${text}`);
  return JSON.stringify([key, digits.sort()], (_name, value: unknown) => (isObject(value) ? sorted(value) : value));
}

/** What a model sees of a message. */
function bare({ role, parts, name, extra }: Message): Message {
  const message: Message = { role, parts };
  if (name !== undefined) message.name = name;
  if (extra !== undefined) message.extra = extra;
  return message;
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
