// Formats server-sent events as text. Rejects field values that would add a further line or event.

import { assertObject, assertString } from "../model/argument-error.ts";
import { stringifyJson } from "../model/json/index.ts";
import { SseError, type SseEvent } from "./event.ts";

const LINE_BREAK = /\r\n|\r|\n/;
const UNSAFE_IN_EVENT = /[\r\n]/;
// A line break would end the line of the id. The standard requires clients to ignore an id with U+0000, so the id would
// be lost without an error.
const UNSAFE_IN_ID = /[\r\n\0]/;

/** An event as stream encoders return it: its data is a JSON value or a text. */
export type JsonEvent = Omit<SseEvent, "data"> & { data: object | string };

/**
 * Formats an event, including its final blank line. Each line of `data` becomes a `data:` line, so clients read every
 * line break as LF. An empty `event` is omitted, because the standard treats it as absent. Throws an `SseError`
 * "invalid-field" for a value that server-sent events cannot represent.
 */
export function formatSse(event: SseEvent | JsonEvent): string {
  assertObject("formatSse", "event", event);
  let text = "";
  if (event.event !== undefined && event.event !== "") text = eventLine(event.event);
  if (event.id !== undefined) text += `id: ${assertSafe("id", event.id, UNSAFE_IN_ID)}\n`;
  if (event.retry !== undefined) {
    if (!Number.isSafeInteger(event.retry) || event.retry < 0) {
      throw new SseError("invalid-field", `SSE retry must be whole milliseconds, zero or more; got ${event.retry}.`);
    }
    text += `retry: ${event.retry}\n`;
  }
  // The JSON text needs no splitting: it is one line, because stringifyJson escapes line breaks.
  if (typeof event.data === "object") return `${text}data: ${stringifyJson(event.data)}\n\n`;
  return `${text}${formatLines("data: ", event.data)}\n`;
}

/** The last event name that was checked. It is cached, because streams repeat the same names. */
let lastCheckedName = "";

function eventLine(name: string): string {
  if (name !== lastCheckedName) lastCheckedName = assertSafe("event", name, UNSAFE_IN_EVENT);
  return `event: ${name}\n`;
}

/**
 * Formats a comment, which clients skip, for example as a heartbeat. It must be written between events, because its
 * blank line would end an event.
 */
export function formatSseComment(text: string): string {
  assertString("formatSseComment", "text", text);
  return `${formatLines(": ", text)}\n`;
}

function formatLines(prefix: string, text: string): string {
  // Fast path: almost all data is one line of JSON.
  if (!UNSAFE_IN_EVENT.test(text)) return `${prefix}${text}\n`;
  return text
    .split(LINE_BREAK)
    .map((line) => `${prefix}${line}\n`)
    .join("");
}

function assertSafe(field: "event" | "id", value: string, unsafe: RegExp): string {
  if (!unsafe.test(value)) return value;
  const rule = field === "id" ? "a line break or U+0000" : "a line break";
  throw new SseError("invalid-field", `SSE ${field} must not contain ${rule}; got ${JSON.stringify(value)}.`);
}
