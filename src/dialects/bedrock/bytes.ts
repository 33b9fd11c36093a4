// Bytes on the wire: base64 in JSON; in what the SDK takes, an array of bytes, which some write down as JSON in ways of
// their own. All of them are read, and written as they came.
import type { JsonValue } from "../../model/json.ts";
import { isObject } from "../kit/read.ts";

/** How bytes were written, where it was not as base64. */
export type BytesForm = "bytes" | "buffer" | "indexed" | "list";

export interface ReadBytes {
  data: string;
  form?: BytesForm;
}

export function readBytes(value: unknown): ReadBytes | undefined {
  if (typeof value === "string") return { data: value };
  if (value instanceof Uint8Array) return { data: base64(value), form: "bytes" };
  if (Array.isArray(value)) return fromList(value, "list");
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const { type, data } = value;
  if (type === "Buffer" && Array.isArray(data) && keys.length === 2) return fromList(data, "buffer");
  if (keys.length === 0 || keys.some((key, index) => key !== String(index))) return undefined;
  return fromList(Object.values(value), "indexed");
}

function fromList(list: readonly unknown[], form: BytesForm): ReadBytes | undefined {
  return list.every(isByte) ? { data: base64(Uint8Array.from(list)), form } : undefined;
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** The bytes as they once were written; undefined where that cannot be done any more. */
export function writeBytes(data: string, form: unknown): JsonValue | undefined {
  const bytes = form === undefined ? undefined : bytesOf(data);
  switch (form) {
    case undefined:
      return data;
    case "bytes":
      // No JSON, but what the SDK takes.
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

/** The base64 of two pieces of bytes, each in base64. */
export function joinBytes(first: string, second: string): string {
  if (!first.endsWith("=")) return first + second;
  const [a, b] = [bytesOf(first), bytesOf(second)];
  if (a === undefined || b === undefined) return first + second;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return base64(joined);
}

function bytesOf(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    // Somebody wrote what is no base64.
    return undefined;
  }
}

/** In pieces, because a call takes only so many arguments. */
function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** The text whose UTF-8 bytes these are. */
export function textOf(data: string): string {
  const bytes = bytesOf(data);
  // It says that it is base64 of a text, and may be the text itself.
  return bytes === undefined ? data : new TextDecoder().decode(bytes);
}
