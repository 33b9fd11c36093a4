// The binary frames of AWS event streams, both ways: a prelude with two lengths, headers, a payload, and checksums over
// the prelude and over all of it. What does not add up is told as an event that cannot be read, and ends the stream.
import { JsonError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseJson, stringifyJson } from "../../model/json.ts";
import type { Frame, FrameReader, StreamFrames, WireEvent } from "../dialect.ts";
import { TextFrames } from "../frames.ts";
import { isObject } from "../kit/read.ts";
import { TYPE } from "./errors.ts";

/** Two lengths and their checksum; a checksum at the end. */
const PRELUDE = 12;
const LEAST = PRELUDE + 4;
/** No event is longer: a length beyond it is no length. */
const MOST = 1 << 26;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 of some bytes. */
function checksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0xffffffff;
  for (let at = from; at < to; at++) sum = (TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** How long the values of headers are, by their type; texts and bytes say it themselves. */
const SIZES: readonly (number | "said")[] = [0, 0, 1, 2, 4, 8, "said", "said", 8, 16];
const TEXT = 7;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function readUint32(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let byte = 0; byte < 4; byte++) value = (value << 8) | (bytes[at + byte] ?? 0);
  return value >>> 0;
}

function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  for (let byte = 0; byte < 4; byte++) bytes[at + byte] = value >>> (24 - 8 * byte);
}

/** The headers that are texts; undefined where they do not add up. */
function readHeaders(bytes: Uint8Array): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const name = bytes.subarray(at + 1, (at += 1 + (bytes[at] ?? 0)));
    const type = bytes[at++];
    const size = type === undefined ? undefined : SIZES[type];
    if (size === undefined || (size === "said" && at + 2 > bytes.length)) return undefined;
    const from = size === "said" ? at + 2 : at;
    const to = from + (size === "said" ? ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0) : size);
    if (to > bytes.length) return undefined;
    if (type === TEXT) headers.set(decoder.decode(name), decoder.decode(bytes.subarray(from, to)));
    at = to;
  }
  return headers;
}

/** What cannot be read: no JSON, so that whoever reads it says so. */
function broken(what: string): Frame {
  return { data: what };
}

class EventReader implements FrameReader {
  /** What is still to be read, and how much of it there must be before that is worth a try. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  #needed = PRELUDE;
  #isBegun = false;
  #isBroken = false;
  /** The headers that were read last. */
  #rawHeaders = new Uint8Array(0);
  #headers = new Map<string, string>();
  /** The reply is text: an error, an answer in one piece, or events that somebody has made readable. */
  #text: TextFrames | undefined;

  push(chunk: Uint8Array | string): Frame[] {
    if (!this.#isBegun && chunk.length > 0) {
      this.#isBegun = true;
      // Every length begins with a zero, and no text does.
      if (typeof chunk === "string" || chunk[0] !== 0) this.#text = new TextFrames();
    }
    if (this.#text !== undefined) return this.#text.push(chunk);
    const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    if (this.#isBroken || bytes.length === 0) return [];
    this.#size += bytes.length;
    if (this.#size >= this.#needed) return this.#read(this.#joined(bytes));
    // A copy: the chunk is its sender's.
    this.#pieces.push(bytes.slice());
    return [];
  }

  #joined(last: Uint8Array): Uint8Array {
    if (this.#pieces.length === 0) return last;
    const joined = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of [...this.#pieces, last]) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  }

  #read(bytes: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    this.#needed = PRELUDE;
    while (bytes.length - at >= PRELUDE) {
      const length = readUint32(bytes, at);
      const headers = readUint32(bytes, at + 4);
      const isSound = length >= LEAST + headers && length <= MOST;
      if (!isSound || checksum(bytes, at, at + 8) !== readUint32(bytes, at + 8)) {
        this.#isBroken = true;
        return [...frames, broken("The beginning of an event is damaged.")];
      }
      if (bytes.length - at < length) {
        this.#needed = length;
        break;
      }
      const frame = this.#message(bytes.subarray(at, at + length), headers);
      frames.push(frame);
      if (frame.event === undefined) {
        this.#isBroken = true;
        return frames;
      }
      at += length;
    }
    this.#size = bytes.length - at;
    this.#pieces = this.#size === 0 ? [] : [bytes.slice(at)];
    return frames;
  }

  /** One message; an event of its own name holds what it says. */
  #message(bytes: Uint8Array, headersLength: number): Frame {
    const end = bytes.length - 4;
    const from = PRELUDE + headersLength;
    if (checksum(bytes, 0, end) !== readUint32(bytes, end)) return broken("An event is damaged.");
    const raw = bytes.subarray(PRELUDE, from);
    // Nearly every event has the headers of the one before it.
    const headers = isSame(raw, this.#rawHeaders) ? this.#headers : readHeaders(raw);
    if (headers === undefined) return broken("The headers of an event are damaged.");
    if (headers !== this.#headers) {
      this.#headers = headers;
      this.#rawHeaders = raw.slice();
    }
    const kind = headers.get(":message-type");
    if (kind === "error") {
      const code = headers.get(":error-code") ?? "";
      const message = headers.get(":error-message") ?? "";
      return { event: "error", data: { [TYPE]: code, message } };
    }
    const event = headers.get(kind === "exception" ? ":exception-type" : ":event-type") ?? "";
    const payload = from === end ? "{}" : decoder.decode(bytes.subarray(from, end));
    try {
      const said = parseJson(payload);
      return { event, data: event === "" ? said : { [event]: said } };
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      return broken(payload);
    }
  }

  end(): Frame[] {
    return this.#text?.end() ?? [];
  }
}

function isSame(bytes: Uint8Array, others: Uint8Array): boolean {
  if (bytes.length !== others.length) return false;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== others[at]) return false;
  return true;
}

/** The headers of events, by their names: a stream has few. */
const HEADERS = new Map<string, Uint8Array>();

function headersOf(name: string): Uint8Array {
  const known = HEADERS.get(name);
  if (known !== undefined) return known;
  const isException = name.endsWith("Exception");
  const texts = [
    isException ? ":exception-type" : ":event-type",
    name,
    ":content-type",
    "application/json",
    ":message-type",
    isException ? "exception" : "event",
  ];
  const bytes: number[] = [];
  for (const [index, text] of texts.entries()) {
    const encoded = encoder.encode(text);
    // Names have a length of one byte, values a type and a length of two.
    if (index % 2 === 1) bytes.push(TEXT, encoded.length >> 8);
    bytes.push(encoded.length & 0xff, ...encoded);
  }
  const made = Uint8Array.from(bytes);
  // Names come from whoever wrote the event: what is kept stays few.
  if (HEADERS.size < 32) HEADERS.set(name, made);
  return made;
}

function writeEvent({ data }: WireEvent): Uint8Array {
  const wire: JsonObject = isObject(data) ? data : {};
  const [only = "", ...others] = Object.keys(wire);
  const inner = wire[only];
  // What is no event by the protocol has no name.
  const isNamed = others.length === 0 && isObject(inner);
  const headers = headersOf(isNamed ? only : "");
  const payload = encoder.encode(stringifyJson(isNamed ? inner : wire));
  const bytes = new Uint8Array(LEAST + headers.length + payload.length);
  writeUint32(bytes, 0, bytes.length);
  writeUint32(bytes, 4, headers.length);
  writeUint32(bytes, 8, checksum(bytes, 0, 8));
  bytes.set(headers, PRELUDE);
  bytes.set(payload, PRELUDE + headers.length);
  writeUint32(bytes, bytes.length - 4, checksum(bytes, 0, bytes.length - 4));
  return bytes;
}

export const frames: StreamFrames = { reader: () => new EventReader(), write: writeEvent };
