// From what was pasted or dropped to values: one JSON value, or the events of a stream in server-sent events, in lines of
// JSON, or in the binary frames of an event stream. What cannot be read says where.
import type { JsonValue } from "koine";
import { JsonError, parseJson, SseParser } from "koine";

export interface WireFrame {
  event?: string;
  data: unknown;
}

export type Payload =
  | { format: "json"; value: JsonValue }
  /** A value per line. */
  | { format: "lines"; values: JsonValue[] }
  | { format: "sse"; frames: WireFrame[] }
  | { format: "frames"; bytes: Uint8Array };

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
  const sign = /\S/.exec(text)?.[0];
  if (sign === undefined) throw new PayloadError("There is nothing to read.");
  if (sign !== "{" && sign !== "[" && /^(data|event|id|retry)?:/m.test(text)) return readEvents(text);
  try {
    return { format: "json", value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return readLines(text) ?? fail(error);
  }
}

function fail(error: JsonError, lines = 0, columns = 0): never {
  const [, line, column] = /line (\d+), column (\d+)/.exec(error.message) ?? [];
  if (line === undefined) throw new PayloadError(error.message);
  // What follows the place says what is wrong; the excerpt behind it is shown in its own way.
  const told = error.message.replace(/^.*?column \d+[:.]?\s*/s, "").replace(/ \(near .*\)$/s, "");
  const place = { line: Number(line) + lines, column: Number(column) + (Number(line) === 1 ? columns : 0) };
  throw new PayloadError(told === "" ? error.message : told[0]?.toUpperCase() + told.slice(1), place);
}

/** A value per line; undefined where it is no such text but a broken document. */
function readLines(text: string): Payload | undefined {
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "") ?? "";
  if (!isJson(first)) return undefined;
  const values: JsonValue[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "" || line.trim() === "[DONE]") continue;
    values.push(readLine(line, at));
  }
  return { format: "lines", values };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readLine(text: string, lines: number): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    return error instanceof JsonError ? fail(error, lines) : rethrow(error);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function readEvents(text: string): Payload {
  const parser = new SseParser();
  const frames: WireFrame[] = [];
  let from = 0;
  for (const { event, data } of [...parser.push(text), ...parser.end()]) {
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
    if (!(error instanceof JsonError)) return rethrow(error);
    const before = text.slice(0, offset).split("\n");
    return fail(error, before.length - 1, before.at(-1)?.length ?? 0);
  }
}
