// Parses pasted or dropped data: one JSON value, JSON lines, server-sent events, or an AWS event stream. Errors in JSON
// have a line and a column.
import type { JsonValue } from "koine";
import { JsonError, parseJson, SseParser } from "koine";
import { toOffset } from "../excerpt.ts";
import { findHint, unwrapText, findValueSpans } from "./unwrap-text.ts";

export interface SseFrame {
  event?: string;
  data: unknown;
}

export type ParsedPayload = { remarks?: readonly string[] } & (
  | { format: "json"; value: JsonValue }
  /** Several JSON values, one per line or one after another. */
  | { format: "lines"; values: JsonValue[] }
  | { format: "sse"; frames: SseFrame[] }
  | { format: "frames"; bytes: Uint8Array }
);

/** Thrown for a payload that cannot be read, with the position of the error if it is known; both start at 1. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, position?: { line: number; column: number }) {
    super(message);
    this.line = position?.line;
    this.column = position?.column;
  }
}

export function parsePayload(content: string | Uint8Array): ParsedPayload {
  if (typeof content !== "string") {
    if (isEventStream(content)) return { format: "frames", bytes: content };
    return readText(decodeText(content));
  }
  return readText(content.startsWith("\uFEFF") ? content.slice(1) : content);
}

/**
 * True if the bytes are an AWS event stream. The stream starts with the length of its first frame; the first byte of
 * that number is 0, which no text starts with.
 */
function isEventStream(bytes: Uint8Array): boolean {
  if (bytes.length < 16 || bytes[0] !== 0) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(0) <= bytes.length && view.getUint32(4) < view.getUint32(0);
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PayloadError("The file is neither UTF-8 text nor an AWS event stream.");
  }
}

function readText(text: string): ParsedPayload {
  const wrapped = unwrapText(text);
  if (wrapped === undefined) return readPlain(text);
  const { body, line, remark } = wrapped;
  try {
    return { ...readPlain(body), remarks: [remark] };
  } catch (error) {
    if (!(error instanceof PayloadError) || error.line === undefined || error.column === undefined) throw error;
    // `line` is undefined only for the body of a curl command. The shell quotes that body, so a position in the body is
    // not a position in the pasted text; the message states it instead.
    if (line === undefined)
      throw new PayloadError(`${remark} ${error.message} (line ${error.line}, column ${error.column} of it)`);
    throw new PayloadError(error.message, { line: error.line + line, column: error.column });
  }
}

function readPlain(text: string): ParsedPayload {
  const firstCharacter = /\S/.exec(text)?.[0];
  if (firstCharacter === undefined) throw new PayloadError("The payload is empty.");
  if (firstCharacter !== "{" && firstCharacter !== "[" && /^[ \t]*(data|event|id|retry)?:/m.test(text))
    return readEvents(text);
  try {
    return { format: "json", value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return readLines(text) ?? readValues(text) ?? throwPayloadError(error, text);
  }
}

function throwPayloadError(error: JsonError, text: string, lineOffset = 0, columnOffset = 0): never {
  const [, line, column] = /line (\d+), column (\d+)/.exec(error.message) ?? [];
  if (line === undefined) throw new PayloadError(error.message);
  const position = {
    line: Number(line) + lineOffset,
    column: Number(column) + (Number(line) === 1 ? columnOffset : 0),
  };
  throw new PayloadError(formatReason(error, text, toOffset(text, Number(line), Number(column))), position);
}

/**
 * Returns the reason of a JSON error. Position and excerpt are removed from the message, because the page shows them
 * separately.
 */
function formatReason({ code, message }: JsonError, text: string, at: number): string {
  if (code === "too-deep") return message.replace(/ at line \d+, column \d+/, "");
  const detail = message.replace(/^.*?column \d+[:.]?\s*/s, "").replace(/ \(near .*\)$/s, "");
  const reason = detail === "" ? message : detail[0]?.toUpperCase() + detail.slice(1);
  const hint = findHint(text, at);
  return hint === undefined ? reason : `${reason}. ${hint}`;
}

/** Parses one value per line; undefined if the first line is not JSON. */
function readLines(text: string): ParsedPayload | undefined {
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "") ?? "";
  if (!isJson(first)) return undefined;
  const values: JsonValue[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "" || line.trim() === "[DONE]") continue;
    values.push(readValue(line, at, 0));
  }
  return { format: "lines", values };
}

/**
 * Parses several JSON documents one after another; undefined if the text has only one document or the first one is
 * invalid.
 */
function readValues(text: string): ParsedPayload | undefined {
  const spans = findValueSpans(text);
  const [first] = spans;
  if (first === undefined || spans.length < 2 || !isJson(text.slice(first.from, first.to))) return undefined;
  return { format: "lines", values: spans.map(({ from, to }) => readAt(text.slice(from, to), text, from)) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses the part of a text that starts at `offset`. Positions in errors refer to the whole text. */
function readAt(part: string, text: string, offset: number): JsonValue {
  const before = text.slice(0, offset).split("\n");
  return readValue(part, before.length - 1, before.at(-1)?.length ?? 0);
}

function readValue(text: string, lineOffset: number, columnOffset: number): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return throwPayloadError(error, text, lineOffset, columnOffset);
    throw error;
  }
}

/** Parses server-sent events. The indentation of pasted lines is removed. */
function readEvents(text: string): ParsedPayload {
  const parser = new SseParser();
  const frames: SseFrame[] = [];
  const plain = text.replaceAll(/^[ \t]+/gm, "");
  let from = 0;
  for (const { event, data } of [...parser.push(plain), ...parser.end()]) {
    // `from` becomes the offset of the event's data in the pasted text, so that errors have a position there. It is
    // found by searching for the first line of the data after the previous event.
    const [head = ""] = data.split("\n", 1);
    from = Math.max(from, text.indexOf(head, from));
    const value = data === "[DONE]" ? data : readData(data, text, from);
    frames.push(event === undefined ? { data: value } : { event, data: value });
    from += head.length;
  }
  if (frames.length === 0) throw new PayloadError("The stream contains no event.");
  return { format: "sse", frames };
}

function readData(data: string, text: string, offset: number): JsonValue {
  try {
    return parseJson(data);
  } catch (error) {
    if (error instanceof JsonError) return readAt(data, text, offset);
    throw error;
  }
}
