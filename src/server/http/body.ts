// Bodies as JSON: text checked to be UTF-8, exact numbers kept, nesting bounded. Each refusal names the place.
import { parseJson } from "../../model/json.ts";
import type { JsonValue } from "../../model/json.ts";
import { JsonError } from "../../model/errors.ts";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest } from "../types.ts";

type Asking = Pick<ServerRequest, "headers" | "body">;

/** Types of bodies that are something else; curl says "form" of whatever `-d` is given. */
const OTHER_TYPES = /^(multipart\/|image\/|audio\/|video\/|application\/(octet-stream|xml|pdf|zip))/;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The body, read. Throws a `ServerError` "invalid-request", "too-large" or "unsupported-media". */
export async function readJson(request: Asking, limits: Pick<ServerLimits, "depth">): Promise<JsonValue> {
  return parseBody(await readText(request), limits);
}

export async function readText(request: Asking): Promise<string> {
  checkType(request.headers["content-type"]);
  return decodeText(await request.body());
}

/** JSON text, by the same rules. */
export function parseBody(text: string, { depth }: Pick<ServerLimits, "depth">): JsonValue {
  if (text === "") throw new ServerError("invalid-request", "The body is empty; send JSON.");
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const code = error.code === "too-deep" ? "too-large" : "invalid-request";
    throw new ServerError(code, error.message, { path: error.path, cause: error });
  }
  checkDepth(value, depth);
  return value;
}

/** Throws a `ServerError` "too-large" for a value that is nested deeper than `most`. */
function checkDepth(value: JsonValue, most: number): void {
  if (fits(value, most)) return;
  const message = `The body is nested deeper than ${most} levels. Flatten it, or carry the inner part as a string of JSON.`;
  throw new ServerError("too-large", message);
}

function fits(value: JsonValue, left: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (left === 0) return false;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === "object" && !fits(each, left - 1)) return false;
    return true;
  }
  for (const key in value) {
    const each = value[key];
    if (typeof each === "object" && !fits(each, left - 1)) return false;
  }
  return true;
}

function checkType(type: string | undefined): void {
  if (type === undefined || type === "application/json") return;
  const [name = "", ...parameters] = type.toLowerCase().split(";");
  if (OTHER_TYPES.test(name.trim())) {
    const message = `The body must be JSON with content-type "application/json", not "${name.trim().slice(0, 80)}".`;
    throw new ServerError("unsupported-media", message, { path: "content-type" });
  }
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(each)?.[1]).find(Boolean);
  if (charset === undefined || /^(utf-?8|us-ascii)$/.test(charset)) return;
  const message = `The body must be UTF-8, not "${charset.slice(0, 40)}".`;
  throw new ServerError("unsupported-media", message, { path: "content-type" });
}

/** A byte order mark is left out; bytes that are no UTF-8 are refused rather than replaced. */
function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    const message = `The body is no UTF-8: the bytes from offset ${firstFault(bytes)} on are no character.`;
    throw new ServerError("invalid-request", message, { cause });
  }
}

/** The length of the longest beginning that can be read. */
function firstFault(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isText(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  // A character that is cut off by the middle counts as good: the fault is within the few bytes after it.
  while (good > 0 && ((bytes[good] ?? 0) & 0xc0) === 0x80) good--;
  return good;
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
