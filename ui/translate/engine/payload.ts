// From what was pasted or dropped to values: one JSON value, or the events of a stream in server-sent events, in lines of
// JSON, or in the binary frames of an event stream. What cannot be read says where.
import type { JsonValue } from "koine";
import { JsonError, parseJson, SseParser } from "koine";
import { offsetOf } from "../excerpt.ts";
import { guessOf, unwrapText, valueSpans } from "./wrappings.ts";

export interface WireFrame {
  event?: string;
  data: unknown;
}

export type Payload = { remarks?: readonly string[] } & (
  | { format: "json"; value: JsonValue }
  /** Values that follow each other. */
  | { format: "lines"; values: JsonValue[] }
  | { format: "sse"; frames: WireFrame[] }
  | { format: "frames"; bytes: Uint8Array }
);

/** Text that is no JSON, with its place in the whole. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, place?: { line: number; column: number }) {
    super(message);
    this.line = place?.line;
    this.column = place?.column;
  }
}

export function readPayload(content: string | Uint8Array): Payload {
  if (typeof content !== "string") {
    if (isFramed(content)) return { format: "frames", bytes: content };
    return readText(decodeText(content));
  }
  return readText(content.startsWith("\uFEFF") ? content.slice(1) : content);
}

/** An event stream begins with its own length: no text does, because the first byte of a length is 0. */
function isFramed(bytes: Uint8Array): boolean {
  if (bytes.length < 16 || bytes[0] !== 0) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(0) <= bytes.length && view.getUint32(4) < view.getUint32(0);
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PayloadError("The file is neither UTF-8 text nor an event stream.");
  }
}

function readText(text: string): Payload {
  const wrapped = unwrapText(text);
  if (wrapped === undefined) return readPlain(text);
  const { body, line, remark } = wrapped;
  try {
    return { ...readPlain(body), remarks: [remark] };
  } catch (error) {
    if (!(error instanceof PayloadError) || error.line === undefined || error.column === undefined) throw error;
    // Within a command the body is quoted: places in it are not places of the text.
    if (line === undefined)
      throw new PayloadError(`${remark} ${error.message} (line ${error.line}, column ${error.column} of it)`);
    throw new PayloadError(error.message, { line: error.line + line, column: error.column });
  }
}

function readPlain(text: string): Payload {
  const sign = /\S/.exec(text)?.[0];
  if (sign === undefined) throw new PayloadError("There is nothing to read.");
  if (sign !== "{" && sign !== "[" && /^[ \t]*(data|event|id|retry)?:/m.test(text)) return readEvents(text);
  try {
    return { format: "json", value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return readLines(text) ?? readValues(text) ?? fail(error, text);
  }
}

function fail(error: JsonError, text: string, lines = 0, columns = 0): never {
  const [, line, column] = /line (\d+), column (\d+)/.exec(error.message) ?? [];
  if (line === undefined) throw new PayloadError(error.message);
  const place = { line: Number(line) + lines, column: Number(column) + (Number(line) === 1 ? columns : 0) };
  throw new PayloadError(reasonOf(error, text, offsetOf(text, Number(line), Number(column))), place);
}

/** What is wrong, without the place and the excerpt, which are shown in their own way. */
function reasonOf({ code, message }: JsonError, text: string, at: number): string {
  if (code === "too-deep") return message.replace(/ at line \d+, column \d+/, "");
  const told = message.replace(/^.*?column \d+[:.]?\s*/s, "").replace(/ \(near .*\)$/s, "");
  const reason = told === "" ? message : told[0]?.toUpperCase() + told.slice(1);
  const guess = guessOf(text, at);
  return guess === undefined ? reason : `${reason}. ${guess}`;
}

/** A value per line; undefined where it is no such text but a broken document. */
function readLines(text: string): Payload | undefined {
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

/** Documents of several lines that follow each other; undefined where the first of them is broken. */
function readValues(text: string): Payload | undefined {
  const spans = valueSpans(text);
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

/** A part of a text as JSON; what is wrong with it is told with its place in the whole. */
function readAt(part: string, text: string, offset: number): JsonValue {
  const before = text.slice(0, offset).split("\n");
  return readValue(part, before.length - 1, before.at(-1)?.length ?? 0);
}

function readValue(text: string, lines: number, columns: number): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return fail(error, text, lines, columns);
    throw error;
  }
}

/** The lines of a stream may have been pasted with the indentation of where they stood. */
function readEvents(text: string): Payload {
  const parser = new SseParser();
  const frames: WireFrame[] = [];
  const plain = text.replaceAll(/^[ \t]+/gm, "");
  let from = 0;
  for (const { event, data } of [...parser.push(plain), ...parser.end()]) {
    // Where it stands, for what may be wrong with it. Data of several lines is told by its first.
    const [head = ""] = data.split("\n", 1);
    from = Math.max(from, text.indexOf(head, from));
    const value = data === "[DONE]" ? data : readData(data, text, from);
    frames.push(event === undefined ? { data: value } : { event, data: value });
    from += head.length;
  }
  if (frames.length === 0) throw new PayloadError("There is no event in it.");
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
