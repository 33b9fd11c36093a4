// Decodes and encodes frames of AWS event streams. A frame has a prelude with two lengths, headers, a payload, and
// checksums of the prelude and of the frame. A damaged frame becomes an event that is not JSON, and ends the stream.
import { JsonError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { parseJson, stringifyJson } from "../../../model/json/index.ts";
import type { Frame, FrameReader, StreamFrames, WireEvent } from "../../dialect.ts";
import { TextFrameReader } from "../../frames.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { EXCEPTION_TYPE } from "../response/errors.ts";

/** The number of bytes of the prelude: two lengths and their checksum, of 4 bytes each. */
const PRELUDE_LENGTH = 12;
/** The number of bytes of a frame without headers and payload: the prelude and the checksum at the end. */
const MIN_FRAME_LENGTH = PRELUDE_LENGTH + 4;
/**
 * The maximum number of bytes of a frame. A larger length means a damaged prelude, so the reader does not wait for the
 * bytes.
 */
const MAX_FRAME_LENGTH = 1 << 26;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Returns the CRC-32 of the bytes from index `from` up to, but not including, index `to`. */
function computeChecksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0xffffffff;
  for (let at = from; at < to; at++) sum = (CRC_TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** The number of bytes of a header value, by header type; `prefixed` values start with their length in two bytes. */
const HEADER_LENGTHS: readonly (number | "prefixed")[] = [0, 0, 1, 2, 4, 8, "prefixed", "prefixed", 8, 16];
const STRING_HEADER = 7;

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

/** Returns the headers of type string; undefined if the lengths or types of the headers are inconsistent. */
function readHeaders(bytes: Uint8Array): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const name = bytes.subarray(at + 1, (at += 1 + (bytes[at] ?? 0)));
    const type = bytes[at++];
    const length = type === undefined ? undefined : HEADER_LENGTHS[type];
    if (length === undefined || (length === "prefixed" && at + 2 > bytes.length)) return undefined;
    const from = length === "prefixed" ? at + 2 : at;
    const to = from + (length === "prefixed" ? ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0) : length);
    if (to > bytes.length) return undefined;
    if (type === STRING_HEADER) headers.set(decoder.decode(name), decoder.decode(bytes.subarray(from, to)));
    at = to;
  }
  return headers;
}

/** Returns a frame without an event name, whose data the stream decoder rejects because it is not JSON. */
function createDamagedFrame(data: string): Frame {
  return { data };
}

class EventStreamReader implements FrameReader {
  /** Received bytes that are not a complete frame yet. */
  #chunks: Uint8Array[] = [];
  #byteCount = 0;
  /** The number of bytes that must have arrived before the next frame, or its prelude, can be read. */
  #needed = PRELUDE_LENGTH;
  #hasStarted = false;
  #isDamaged = false;
  /** The encoded headers of the previous frame. */
  #rawHeaders = new Uint8Array(0);
  /** The decoded form of `#rawHeaders`. */
  #headers = new Map<string, string>();
  /**
   * The reader of a body that is text (an error, a complete response, or server-sent events); undefined for a binary
   * body.
   */
  #textReader: TextFrameReader | undefined;

  push(chunk: Uint8Array | string): Frame[] {
    if (!this.#hasStarted && chunk.length > 0) {
      this.#hasStarted = true;
      // A binary body starts with a zero byte, the highest byte of the first frame's length. No text starts with a zero
      // byte.
      if (typeof chunk === "string" || chunk[0] !== 0) this.#textReader = new TextFrameReader();
    }
    if (this.#textReader !== undefined) return this.#textReader.push(chunk);
    const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    if (this.#isDamaged || bytes.length === 0) return [];
    this.#byteCount += bytes.length;
    if (this.#byteCount >= this.#needed) return this.#readFrames(this.#joinChunks(bytes));
    // The chunk is copied, because the caller may reuse its buffer.
    this.#chunks.push(bytes.slice());
    return [];
  }

  #joinChunks(last: Uint8Array): Uint8Array {
    if (this.#chunks.length === 0) return last;
    const joined = new Uint8Array(this.#byteCount);
    let at = 0;
    for (const chunk of [...this.#chunks, last]) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    return joined;
  }

  #readFrames(bytes: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    this.#needed = PRELUDE_LENGTH;
    while (bytes.length - at >= PRELUDE_LENGTH) {
      const length = readUint32(bytes, at);
      const headers = readUint32(bytes, at + 4);
      const isValid = length >= MIN_FRAME_LENGTH + headers && length <= MAX_FRAME_LENGTH;
      if (!isValid || computeChecksum(bytes, at, at + 8) !== readUint32(bytes, at + 8)) {
        this.#isDamaged = true;
        return [...frames, createDamagedFrame("The prelude of an event is damaged.")];
      }
      if (bytes.length - at < length) {
        this.#needed = length;
        break;
      }
      const frame = this.#readFrame(bytes.subarray(at, at + length), headers);
      frames.push(frame);
      if (frame.event === undefined) {
        this.#isDamaged = true;
        return frames;
      }
      at += length;
    }
    this.#byteCount = bytes.length - at;
    this.#chunks = this.#byteCount === 0 ? [] : [bytes.slice(at)];
    return frames;
  }

  /** Reads one complete frame. The data of its event is an object with the payload under the event's name. */
  #readFrame(bytes: Uint8Array, headersLength: number): Frame {
    const end = bytes.length - 4;
    const from = PRELUDE_LENGTH + headersLength;
    if (computeChecksum(bytes, 0, end) !== readUint32(bytes, end)) return createDamagedFrame("An event is damaged.");
    const raw = bytes.subarray(PRELUDE_LENGTH, from);
    // Most frames have the same headers as the previous frame, so the headers are decoded only if they have changed.
    const headers = hasSameBytes(raw, this.#rawHeaders) ? this.#headers : readHeaders(raw);
    if (headers === undefined) return createDamagedFrame("The headers of an event are damaged.");
    if (headers !== this.#headers) {
      this.#headers = headers;
      this.#rawHeaders = raw.slice();
    }
    const kind = headers.get(":message-type");
    if (kind === "error") {
      const code = headers.get(":error-code") ?? "";
      const message = headers.get(":error-message") ?? "";
      return { event: "error", data: { [EXCEPTION_TYPE]: code, message } };
    }
    const event = headers.get(kind === "exception" ? ":exception-type" : ":event-type") ?? "";
    const payload = from === end ? "{}" : decoder.decode(bytes.subarray(from, end));
    try {
      const value = parseJson(payload);
      return { event, data: event === "" ? value : { [event]: value } };
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      return createDamagedFrame(payload);
    }
  }

  end(): Frame[] {
    return this.#textReader?.end() ?? [];
  }
}

function hasSameBytes(bytes: Uint8Array, others: Uint8Array): boolean {
  if (bytes.length !== others.length) return false;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== others[at]) return false;
  return true;
}

/** A cache of the encoded headers, by event name. */
const ENCODED_HEADERS = new Map<string, Uint8Array>();
/** The maximum size of the cache; it is limited, because event names can come from the input. */
const MAX_ENCODED_HEADERS = 32;

function encodeHeaders(name: string): Uint8Array {
  const cached = ENCODED_HEADERS.get(name);
  if (cached !== undefined) return cached;
  const isException = name.endsWith("Exception");
  const headerStrings = [
    isException ? ":exception-type" : ":event-type",
    name,
    ":content-type",
    "application/json",
    ":message-type",
    isException ? "exception" : "event",
  ];
  const bytes: number[] = [];
  for (const [index, text] of headerStrings.entries()) {
    const encoded = encoder.encode(text);
    // A length of one byte precedes a header name. The value's type and a length of two bytes precede a header value.
    if (index % 2 === 1) bytes.push(STRING_HEADER, encoded.length >> 8);
    bytes.push(encoded.length & 0xff, ...encoded);
  }
  const headers = Uint8Array.from(bytes);
  if (ENCODED_HEADERS.size < MAX_ENCODED_HEADERS) ENCODED_HEADERS.set(name, headers);
  return headers;
}

function encodeEvent({ data }: WireEvent): Uint8Array {
  const wire: JsonObject = isObject(data) ? data : {};
  const [only = "", ...others] = Object.keys(wire);
  const inner = wire[only];
  // Data with several keys is not an event of the protocol, so it is written without an event name.
  const isNamed = others.length === 0 && isObject(inner);
  const headers = encodeHeaders(isNamed ? only : "");
  const payload = encoder.encode(stringifyJson(isNamed ? inner : wire));
  const bytes = new Uint8Array(MIN_FRAME_LENGTH + headers.length + payload.length);
  writeUint32(bytes, 0, bytes.length);
  writeUint32(bytes, 4, headers.length);
  writeUint32(bytes, 8, computeChecksum(bytes, 0, 8));
  bytes.set(headers, PRELUDE_LENGTH);
  bytes.set(payload, PRELUDE_LENGTH + headers.length);
  writeUint32(bytes, bytes.length - 4, computeChecksum(bytes, 0, bytes.length - 4));
  return bytes;
}

export const eventStreamFrames: StreamFrames = { reader: () => new EventStreamReader(), write: encodeEvent };
