// What is said of a candidate over several events of a stream, as one: lists grow, or are said again in full.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import { copyField, isObject } from "../kit/read.ts";

/** What grows; everything else is what was said last. The tokens of an event are those of its own text. */
const GROWING: ReadonlySet<string> = new Set(
  (
    "groundingMetadata grounding_metadata citationMetadata citation_metadata urlContextMetadata " +
    "url_context_metadata logprobsResult logprobs_result"
  ).split(" "),
);
const TOKENS = /^logprobs/;

/** Adds a field of an event to what has been said before, which grows in place. */
export function mergeField(from: JsonObject, key: string, to: JsonObject): void {
  const said = from[key];
  if (!GROWING.has(key) || !isObject(said)) {
    copyField(from, key, to);
    return;
  }
  const known = to[key];
  // The event's own lists stay as they are.
  const merged: JsonObject = isObject(known) ? known : {};
  for (const name of Object.keys(said)) {
    const [one, other] = [merged[name], said[name]];
    if (!Array.isArray(other)) copyField(said, name, merged);
    else if (!Array.isArray(one)) merged[name] = [...other];
    else if (!TOKENS.test(key) && isAgain(one, other)) addTo(one, other, one.length);
    else addTo(one, other, 0);
  }
  to[key] = merged;
}

/** Whether a list begins with all that is known, and so says it again. */
function isAgain(known: readonly JsonValue[], said: readonly JsonValue[]): boolean {
  return said.length >= known.length && sameJson(said.slice(0, known.length), [...known]);
}

function addTo(known: JsonValue[], said: readonly JsonValue[], from: number): void {
  for (let at = from; at < said.length; at++) known.push(said[at] ?? null);
}
