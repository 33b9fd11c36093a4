// Replaces secrets in a request before the request is stored, such as the keys of MCP servers that the provider calls
// for the client. The provider receives the secrets unchanged.
import type { JsonValue } from "../../model/index.ts";
import { copyDigits } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";

/** The text that replaces a secret. */
const HIDDEN = "[hidden]";

const SECRET_NAMES =
  /^(?:proxy-)?authorization(?:_token)?$|^(?:set-)?cookie$|api[-_]?key$|password|secret|(?:^|_|-)token$/i;
/** Matches the names of fields whose value is an object of HTTP headers. Every value of such an object may be a key. */
const HEADER_OBJECTS = /^(?:http_?|extra_?)?headers$/i;
/** Matches JSON text that may contain a secret. Most requests do not match; their values are then not searched. */
const SUSPECT = /authorization|cookie|api[-_]?key|password|secret|token"|headers"|:\/\/[^"]*[?@]/i;
/** Matches the names of fields whose value is a URL. The user information and the query values of a URL may be keys. */
const URL_FIELDS = /^(?:\w*_)?ur[li]$/i;

/**
 * Returns a copy of the value with its secrets replaced; the same value if it contains no secret. `text` is the JSON
 * text of the value.
 */
export function hideSecrets<Value>(value: Value, text: string): Value {
  // The casts are safe: the value is JSON, and only strings are replaced, with strings, so its type does not change.
  return SUSPECT.test(text) ? (hideInValue(value as JsonValue, false) as Value) : value;
}

function hideInValue(value: JsonValue, isSecret: boolean): JsonValue {
  if (typeof value === "string") return isSecret ? HIDDEN : value;
  if (Array.isArray(value))
    return reuseIfSame(
      value,
      value.map((each) => hideInValue(each, isSecret)),
    );
  if (!isObject(value)) return value;
  const result: Record<string, JsonValue> = {};
  let isSame = true;
  for (const [name, each] of Object.entries(value)) {
    // Only a string counts as a secret, because an object with a secret's name is usually the JSON Schema of the field.
    const isSecretField = typeof each === "string" && (isSecret || SECRET_NAMES.test(name));
    const isAddress = typeof each === "string" && !isSecretField && URL_FIELDS.test(name);
    const next = isAddress
      ? hideInUrl(each)
      : hideInValue(each, isSecretField || (HEADER_OBJECTS.test(name) && !isSchema(each)));
    Object.defineProperty(result, name, { value: next, enumerable: true, configurable: true, writable: true });
    copyDigits(value, name, result, name);
    isSame &&= next === each;
  }
  return isSame ? value : result;
}

/** Replaces the user information, the query values and the fragment of a URL; other text is returned unchanged. */
function hideInUrl(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  const [, before = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const host = before.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  // A query value without a name ("?key" instead of "?name=key") is also replaced.
  const values = query.replace(/([?&])([^=&]*=)?[^&]*/g, (_, sign: string, name = "") => sign + name + HIDDEN);
  return host + values + (fragment === "" ? "" : `#${HIDDEN}`);
}

/** True if the value is a JSON Schema that describes headers, and not an object of headers. */
function isSchema(value: JsonValue): boolean {
  return isObject(value) && (typeof value["type"] === "string" || value["properties"] !== undefined);
}

function reuseIfSame(before: JsonValue[], after: JsonValue[]): JsonValue[] {
  if (after.every((each, index) => each === before[index])) return before;
  for (const index of before.keys()) copyDigits(before, String(index), after, String(index));
  return after;
}
