// Server-sent events → text. Strict where the parser is tolerant: a field cannot smuggle in another line or event.

import { stringifyJson } from "../model/json.ts";
import { SseError, type SseEvent } from "./event.ts";

const LINE_BREAK = /\r\n|\r|\n/;
const UNSAFE_IN_EVENT = /[\r\n]/;
// The standard lets a reader ignore an id with U+0000, which would lose it silently.
const UNSAFE_IN_ID = /[\r\n\0]/;

/** An event whose data is still a value: what a stream encoder gives. It is written as JSON. */
export type JsonEvent = Omit<SseEvent, "data"> & { data: object | string };

/**
 * The event as text with its closing blank line. Each line of `data` becomes a `data:` line, and every line break in it
 * reads back as LF. An empty `event` is left out: the standard gives it the same meaning as none.
 * Throws `SseError` "invalid-field" for what the format cannot carry.
 */
export function formatSse(event: SseEvent | JsonEvent): string {
  let text = "";
  if (event.event !== undefined && event.event !== "") {
    text += `event: ${checked("event", event.event, UNSAFE_IN_EVENT)}\n`;
  }
  if (event.id !== undefined) text += `id: ${checked("id", event.id, UNSAFE_IN_ID)}\n`;
  if (event.retry !== undefined) {
    if (!Number.isSafeInteger(event.retry) || event.retry < 0) {
      throw new SseError("invalid-field", `SSE retry must be whole milliseconds, zero or more; got ${event.retry}.`);
    }
    text += `retry: ${event.retry}\n`;
  }
  const data = typeof event.data === "string" ? event.data : stringifyJson(event.data);
  return `${text}${lines("data: ", data)}\n`;
}

/** A comment that readers skip, to keep a connection open. Write it between events: its blank line would close one. */
export function formatSseComment(text: string): string {
  return `${lines(": ", text)}\n`;
}

function lines(prefix: string, text: string): string {
  // Almost all data is one line of JSON: no split, no array.
  if (!UNSAFE_IN_EVENT.test(text)) return `${prefix}${text}\n`;
  return text
    .split(LINE_BREAK)
    .map((line) => `${prefix}${line}\n`)
    .join("");
}

function checked(field: "event" | "id", value: string, unsafe: RegExp): string {
  if (!unsafe.test(value)) return value;
  const rule = field === "id" ? "a line break or U+0000" : "a line break";
  throw new SseError("invalid-field", `SSE ${field} must not contain ${rule}; got ${JSON.stringify(value)}.`);
}
