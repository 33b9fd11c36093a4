// Merges a field of a candidate over several stream events. A list in an event may contain only new items, or all items
// so far.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";

/**
 * Fields of a candidate whose lists are merged over all events; of any other field, the last value is used. A list of
 * log probabilities never repeats earlier items, so all its items are appended.
 */
const MERGED_FIELDS: ReadonlySet<string> = new Set(
  (
    "groundingMetadata grounding_metadata citationMetadata citation_metadata urlContextMetadata " +
    "url_context_metadata logprobsResult logprobs_result"
  ).split(" "),
);
const LOGPROBS_FIELD = /^logprobs/;

/** Merges the field `key` of an event's candidate into the merged candidate `to`, which is changed. */
export function mergeField(from: JsonObject, key: string, to: JsonObject): void {
  const value = from[key];
  if (!MERGED_FIELDS.has(key) || !isObject(value)) {
    copyField(from, key, to);
    return;
  }
  const known = to[key];
  // The first value is merged into a new object, because the lists of the event must not be changed.
  const merged: JsonObject = isObject(known) ? known : {};
  for (const name of Object.keys(value)) {
    const [knownList, addedList] = [merged[name], value[name]];
    if (!Array.isArray(addedList)) copyField(value, name, merged);
    else if (!Array.isArray(knownList)) merged[name] = [...addedList];
    else if (!LOGPROBS_FIELD.test(key) && repeatsKnownItems(knownList, addedList))
      appendFrom(knownList, addedList, knownList.length);
    else appendFrom(knownList, addedList, 0);
  }
  to[key] = merged;
}

/** True if a list begins with all known items, that is, if it contains all items so far. */
function repeatsKnownItems(known: readonly JsonValue[], value: readonly JsonValue[]): boolean {
  return value.length >= known.length && sameJson(value.slice(0, known.length), [...known]);
}

function appendFrom(known: JsonValue[], value: readonly JsonValue[], from: number): void {
  for (let at = from; at < value.length; at++) known.push(value[at] ?? null);
}
