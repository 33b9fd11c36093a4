// Decodes and encodes bytes on the wire: base64 in JSON, a Uint8Array in the SDK's objects, or one of the JSON
// spellings of a byte array. The spelling is stored when bytes are decoded and restored when they are encoded.
import type { JsonValue } from "../../../model/json/index.ts";
import { decodeBase64 } from "../../blocks/media.ts";
import { isObject } from "../../kit/fields/read-wire.ts";

/**
 * The spelling of bytes that are not base64: a Uint8Array, a serialized `Buffer`, an object with index keys, or a list
 * of numbers.
 */
export type BytesForm = "bytes" | "buffer" | "indexed" | "list";

export interface DecodedBytes {
  /** The bytes in base64. */
  data: string;
  /** The spelling on the wire; undefined for base64. */
  form?: BytesForm;
}

/** Decodes bytes in any spelling; undefined if the value has none of the known spellings. */
export function decodeBytes(value: unknown): DecodedBytes | undefined {
  if (typeof value === "string") return { data: value };
  if (value instanceof Uint8Array) return { data: encodeBase64(value), form: "bytes" };
  if (Array.isArray(value)) return decodeByteList(value, "list");
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const { type, data } = value;
  if (type === "Buffer" && Array.isArray(data) && keys.length === 2) return decodeByteList(data, "buffer");
  if (keys.length === 0 || keys.some((key, index) => key !== String(index))) return undefined;
  return decodeByteList(Object.values(value), "indexed");
}

function decodeByteList(list: readonly unknown[], form: BytesForm): DecodedBytes | undefined {
  return list.every(isByte) ? { data: encodeBase64(Uint8Array.from(list)), form } : undefined;
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** Encodes base64 data in the stored spelling; undefined if the data is not base64 or the spelling is unknown. */
export function encodeBytes(data: string, form: unknown): JsonValue | undefined {
  const bytes = form === undefined ? undefined : decodeBase64(data);
  switch (form) {
    case undefined:
      return data;
    case "bytes":
      // The result is not JSON but a Uint8Array, which the SDK expects in its objects.
      return bytes as unknown as JsonValue | undefined;
    case "buffer":
      return bytes && { type: "Buffer", data: [...bytes] };
    case "indexed":
      return bytes && Object.assign({}, [...bytes]);
    case "list":
      return bytes && [...bytes];
    default:
      return undefined;
  }
}

/**
 * Returns the base64 of the joined bytes of two base64 strings; a plain concatenation is wrong if the first one has
 * padding.
 */
export function joinBase64(first: string, second: string): string {
  if (!first.endsWith("=")) return first + second;
  const [a, b] = [decodeBase64(first), decodeBase64(second)];
  if (a === undefined || b === undefined) return first + second;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return encodeBase64(joined);
}

/** The number of bytes per call of `fromCharCode`, because engines limit the number of arguments of a call. */
const CHUNK_SIZE = 8192;

function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK_SIZE) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK_SIZE));
  }
  return btoa(binary);
}
