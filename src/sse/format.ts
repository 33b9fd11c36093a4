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
  if (event.event !== undefined && event.event !== "") text = eventLine(event.event);
  if (event.id !== undefined) text += `id: ${checked("id", event.id, UNSAFE_IN_ID)}\n`;
  if (event.retry !== undefined) {
    if (!Number.isSafeInteger(event.retry) || event.retry < 0) {
      throw new SseError("invalid-field", `SSE retry must be whole milliseconds, zero or more; got ${event.retry}.`);
    }
    text += `retry: ${event.retry}\n`;
  }
  // JSON is one line: its writer escapes every break.
  if (typeof event.data === "object") return `${text}data: ${stringifyJson(event.data)}\n\n`;
  return `${text}${lines("data: ", event.data)}\n`;
}

/** The last name that was looked at: streams say the same one again and again. */
let known = "";

function eventLine(name: string): string {
  if (name !== known) known = checked("event", name, UNSAFE_IN_EVENT);
  return `event: ${name}\n`;
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
