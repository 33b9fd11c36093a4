// Hides keys in a request before it is stored, such as those of MCP servers that the provider calls for the client. The
// provider receives them unchanged.
import type { JsonValue } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";

/** Replaces a secret. */
const HIDDEN = "[hidden]";

const SECRET_NAMES =
  /^(?:proxy-)?authorization(?:_token)?$|^(?:set-)?cookie$|api[-_]?key$|password|secret|(?:^|_|-)token$/i;
/** Objects of headers: each of their values may be a key. */
const HEADER_OBJECTS = /^(?:http_?|extra_?)?headers$/i;
/** A cheap test of the JSON text, because most requests have no secret. */
const SUSPECT = /authorization|cookie|api[-_]?key|password|secret|token"|headers"|:\/\/[^"]*[?@]/i;
/** URLs of tool servers: user information and query values may be keys. */
const URL_FIELDS = /^(?:\w*_)?ur[li]$/i;

/** Returns the value without secrets, or the same value if it has none. `text` is its JSON. */
export function hideSecrets<Value>(value: Value, text: string): Value {
  // Strings are replaced by strings only, so the type stays.
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
    // An object under such a name is a schema of the field and stays.
    const isSecretField = typeof each === "string" && (isSecret || SECRET_NAMES.test(name));
    const isAddress = typeof each === "string" && !isSecretField && URL_FIELDS.test(name);
    const next = isAddress
      ? hideInUrl(each)
      : hideInValue(each, isSecretField || (HEADER_OBJECTS.test(name) && !isSchema(each)));
    Object.defineProperty(result, name, { value: next, enumerable: true, configurable: true, writable: true });
    isSame &&= next === each;
  }
  return isSame ? value : result;
}

/** Hides the user information and the query values of a URL. */
function hideInUrl(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  const [, before = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const host = before.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  // A query value without a name is hidden completely.
  const values = query.replace(/([?&])([^=&]*=)?[^&]*/g, (_, sign: string, name = "") => sign + name + HIDDEN);
  return host + values + (fragment === "" ? "" : `#${HIDDEN}`);
}

/** True if the value is a JSON schema, not data. */
function isSchema(value: JsonValue): boolean {
  return isObject(value) && (typeof value["type"] === "string" || value["properties"] !== undefined);
}

function reuseIfSame(before: JsonValue[], after: JsonValue[]): JsonValue[] {
  return after.some((each, index) => each !== before[index]) ? after : before;
}
