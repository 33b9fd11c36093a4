// What a delta brings is the run's own from the moment it is taken: whoever made the delta may change its values later,
// and what is committed must be what was acknowledged.
import { isObject } from "../../model/kind.ts";
import type { MessageDelta } from "../../model/index.ts";
import { MAX_DEPTH, parseJson } from "../../model/json.ts";

/** The most levels that a turn puts around a value of a delta: those of an annotation in an answer's alternative. */
const AROUND = 12;
const LEVELS = MAX_DEPTH - AROUND;
/** Deltas whose payload a turn keeps until its end; of the others it takes what it needs at once. */
const KEPT: ReadonlySet<string> = new Set(["start", "done", "error"]);

/**
 * The delta with a payload of its own, read from the text that is written of it. Most deltas hold nothing but texts and
 * numbers, and are given back as they are. Throws where something is nested too deep to be read back.
 */
export function ownDelta(delta: MessageDelta, json: string): MessageDelta {
  const { payload, providerRaw } = delta;
  if (!isWithin(providerRaw, LEVELS)) throw tooDeep("providerRaw");
  if (!isObject(payload)) return delta;
  if (!Object.values(payload).some(isContainer))
    return KEPT.has(delta.kind) ? withPayload(delta, { ...payload }) : delta;
  if (!isWithin(payload, LEVELS)) throw tooDeep("payload");
  const written = parseJson(json);
  return withPayload(delta, Array.isArray(written) ? written[1] : payload);
}

function withPayload(delta: MessageDelta, payload: unknown): MessageDelta {
  // It says the same as the payload it takes the place of.
  return { ...delta, payload } as MessageDelta;
}

function tooDeep(field: string): TypeError {
  return new TypeError(`\`${field}\` is nested deeper than ${LEVELS} levels; flatten it.`);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value has at most so many levels of lists and objects. */
export function isWithin(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return true;
  if (levels <= 0) return false;
  return Object.values(value).every((each) => isWithin(each, levels - 1));
}
