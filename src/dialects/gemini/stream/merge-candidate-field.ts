// Merges a field of a candidate over several stream events: lists grow by new items, or arrive again in full.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";

/** Fields that are merged; of others the last value wins. Log probabilities of an event are always new items. */
const MERGED_FIELDS: ReadonlySet<string> = new Set(
  (
    "groundingMetadata grounding_metadata citationMetadata citation_metadata urlContextMetadata " +
    "url_context_metadata logprobsResult logprobs_result"
  ).split(" "),
);
const LOGPROBS_FIELD = /^logprobs/;

/** Merges a field of an event into `to`, in place. */
export function mergeField(from: JsonObject, key: string, to: JsonObject): void {
  const value = from[key];
  if (!MERGED_FIELDS.has(key) || !isObject(value)) {
    copyField(from, key, to);
    return;
  }
  const known = to[key];
  // A new object, so that the lists of the event are not changed.
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

/** True if a list begins with all known items, so that it repeats them. */
function repeatsKnownItems(known: readonly JsonValue[], value: readonly JsonValue[]): boolean {
  return value.length >= known.length && sameJson(value.slice(0, known.length), [...known]);
}

function appendFrom(known: JsonValue[], value: readonly JsonValue[], from: number): void {
  for (let at = from; at < value.length; at++) known.push(value[at] ?? null);
}
