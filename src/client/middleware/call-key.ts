// Computes the key of a call; calls with the same key may share a cached answer.
import { readHeaders } from "../../calls/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { listExactNumbers } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Call } from "./types.ts";

/**
 * Returns a text that contains everything on which the answer to a call may depend: the request and its targets. The
 * order of object keys does not matter. It does not contain the stream flag, the ids and metadata of messages, time
 * limits, retries and the caller's metadata, because the answer does not depend on them.
 */
export function callKey({ request, options }: Call): string {
  const { provider, fallbacks, onBreaks, repair } = options;
  const headers = options.headers && readHeaders(options.headers, "/headers");
  const { stream: _, messages, ...rest } = request;
  const keyRequest: ModelRequest = { ...rest, messages: messages.map(withoutMetadata) };
  const key = { request: keyRequest, options: { provider, fallbacks, headers, onBreaks, repair } };
  const digits = listExactNumbers(key).map(({ path, text }) => `${path} ${text}`);
  return JSON.stringify([key, digits.sort()], (_name, value: unknown) => (isObject(value) ? sortKeys(value) : value));
}

/** Returns a message with only the fields that a model receives. */
function withoutMetadata({ role, parts, name, extra }: Message): Message {
  const message: Message = { role, parts };
  if (name !== undefined) message.name = name;
  if (extra !== undefined) message.extra = extra;
  return message;
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the SHA-256 hash of a text in hexadecimal digits. */
export async function sha256Hex(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
