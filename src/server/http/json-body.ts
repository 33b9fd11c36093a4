// Reads JSON bodies: checks the UTF-8 encoding, preserves exact numbers and limits the nesting depth. Syntax errors
// have the path of the invalid value.
import { parseJson } from "../../model/json/index.ts";
import type { JsonValue } from "../../model/json/index.ts";
import { JsonError } from "../../model/errors.ts";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest } from "../types.ts";

type BodyRequest = Pick<ServerRequest, "headers" | "body">;

/**
 * Matches the media types of bodies that are rejected, because they cannot be JSON. Form types are accepted as JSON,
 * because `curl -d` sends them by default.
 */
const NON_JSON_TYPES = /^(multipart\/|image\/|audio\/|video\/|application\/(octet-stream|xml|pdf|zip))/;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the body as JSON. Throws a `ServerError` "invalid-request", "too-large" or "unsupported-media". */
export async function readJson(request: BodyRequest, limits: Pick<ServerLimits, "depth">): Promise<JsonValue> {
  return parseBody(await readText(request), limits);
}

export async function readText(request: BodyRequest): Promise<string> {
  checkType(request.headers["content-type"]);
  return decodeText(await request.body());
}

/** Parses the text of a body as JSON. Throws a `ServerError` "invalid-request" or "too-large". */
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

/** Throws a `ServerError` "too-large" if the value is nested deeper than `maxDepth`. */
function checkDepth(value: JsonValue, maxDepth: number): void {
  if (isWithinDepth(value, maxDepth)) return;
  const message = `The body is nested deeper than ${maxDepth} levels. Flatten it, or send the inner part as a JSON string.`;
  throw new ServerError("too-large", message);
}

function isWithinDepth(value: JsonValue, remaining: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (remaining === 0) return false;
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === "object" && !isWithinDepth(each, remaining - 1)) return false;
    return true;
  }
  for (const key in value) {
    const each = value[key];
    if (typeof each === "object" && !isWithinDepth(each, remaining - 1)) return false;
  }
  return true;
}

function checkType(type: string | undefined): void {
  if (type === undefined || type === "application/json") return;
  const [name = "", ...parameters] = type.toLowerCase().split(";");
  if (NON_JSON_TYPES.test(name.trim())) {
    const message = `The body must be JSON with content-type "application/json", not "${name.trim().slice(0, 80)}".`;
    throw new ServerError("unsupported-media", message, { path: "content-type" });
  }
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(each)?.[1]).find(Boolean);
  if (charset === undefined || /^(utf-?8|us-ascii)$/.test(charset)) return;
  const message = `The body must be UTF-8, not "${charset.slice(0, 40)}".`;
  throw new ServerError("unsupported-media", message, { path: "content-type" });
}

/** Decodes UTF-8 and removes a byte order mark. Throws if the UTF-8 is invalid. */
function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    const message = `The body is not valid UTF-8: the first invalid byte is at offset ${findFirstInvalidByte(bytes)}.`;
    throw new ServerError("invalid-request", message, { cause });
  }
}

/** Returns the offset of the first invalid character, found by bisection over the length of the valid prefix. */
function findFirstInvalidByte(bytes: Uint8Array): number {
  let validLength = 0;
  let invalidLength = bytes.length;
  while (invalidLength - validLength > 1) {
    const middle = (validLength + invalidLength) >> 1;
    if (isUtf8Prefix(bytes.subarray(0, middle))) validLength = middle;
    else invalidLength = middle;
  }
  // A prefix that ends within a character counts as valid, so `validLength` may be within the invalid character; the
  // loop moves it back to the start of the character.
  while (validLength > 0 && ((bytes[validLength] ?? 0) & 0xc0) === 0x80) validLength--;
  return validLength;
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
