// Requests may carry keys: those of the tool servers that a provider is to call on the client's behalf. They are sent,
// but never written down.
import type { JsonValue } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";

/** What stands in place of a secret. */
const HIDDEN = "[hidden]";

const NAMES = /^(?:proxy-)?authorization(?:_token)?$|^(?:set-)?cookie$|api[-_]?key$|password|secret|(?:^|_|-)token$/i;
/** Every value in them is hidden, since each may be a key. */
const ALL_OF = /^(?:http_?|extra_?)?headers$/i;
/** Most requests have nothing of the kind: this is looked for in their text first. */
const SUSPECT = /authorization|cookie|api[-_]?key|password|secret|token"|headers"|:\/\/[^"]*[?@]/i;
/** Addresses of tool servers: what stands before the host, or in the query, may be a key. */
const ADDRESS = /^(?:\w*_)?ur[li]$/i;

/** The value without secrets; the same one where there is none. `text` is its JSON. */
export function withoutSecrets<Value>(value: Value, text: string): Value {
  // Only strings are replaced, by strings.
  return SUSPECT.test(text) ? (hidden(value as JsonValue, false) as Value) : value;
}

function hidden(value: JsonValue, isSecret: boolean): JsonValue {
  if (typeof value === "string") return isSecret ? HIDDEN : value;
  if (Array.isArray(value))
    return changed(
      value,
      value.map((each) => hidden(each, isSecret)),
    );
  if (!isObject(value)) return value;
  const result: Record<string, JsonValue> = {};
  let isSame = true;
  for (const [name, each] of Object.entries(value)) {
    // A schema's description of a field of such a name is an object, and stays.
    const isOwn = typeof each === "string" && (isSecret || NAMES.test(name));
    const isAddress = typeof each === "string" && !isOwn && ADDRESS.test(name);
    const next = isAddress ? bareAddress(each) : hidden(each, isOwn || (ALL_OF.test(name) && !isSchema(each)));
    Object.defineProperty(result, name, { value: next, enumerable: true, configurable: true, writable: true });
    isSame &&= next === each;
  }
  return isSame ? value : result;
}

/** A URL without user information, and without the values of its query. */
function bareAddress(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  const [, before = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const host = before.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  // A value without a name is hidden as a whole.
  const values = query.replace(/([?&])([^=&]*=)?[^&]*/g, (_, sign: string, name = "") => sign + name + HIDDEN);
  return host + values + (fragment === "" ? "" : `#${HIDDEN}`);
}

/** Whether it describes values instead of holding them. */
function isSchema(value: JsonValue): boolean {
  return isObject(value) && (typeof value["type"] === "string" || value["properties"] !== undefined);
}

function changed(before: JsonValue[], after: JsonValue[]): JsonValue[] {
  return after.some((each, index) => each !== before[index]) ? after : before;
}
