// Copies a delta when it is accepted: the caller may change its values later, and the committed message must equal the
// acknowledged deltas.
import { isObject } from "../../model/value-kind.ts";
import type { MessageDelta } from "../../model/index.ts";
import { MAX_DEPTH, parseJson } from "../../model/json/index.ts";

/**
 * The maximum number of levels that a turn adds around a value of a delta: those of an annotation in an answer's
 * alternative.
 */
const MAX_LEVELS_AROUND_VALUE = 12;
const MAX_VALUE_DEPTH = MAX_DEPTH - MAX_LEVELS_AROUND_VALUE;
/**
 * The kinds of deltas whose payload the turn retains until its end; of others it copies the values it needs at once.
 */
const RETAINED_KINDS: ReadonlySet<string> = new Set(["start", "done", "error"]);

/**
 * Returns the delta with its own copy of the payload, parsed from its JSON. Deltas that contain only texts and numbers
 * are returned unchanged. Throws if a value is nested too deep to be read back.
 */
export function copyDelta(delta: MessageDelta, json: string): MessageDelta {
  const { payload, providerRaw } = delta;
  if (!isWithinDepth(providerRaw, MAX_VALUE_DEPTH)) throw createDepthError("providerRaw");
  if (!isObject(payload)) return delta;
  if (!Object.values(payload).some(isContainer))
    return RETAINED_KINDS.has(delta.kind) ? withPayload(delta, { ...payload }) : delta;
  if (!isWithinDepth(payload, MAX_VALUE_DEPTH)) throw createDepthError("payload");
  const written = parseJson(json);
  return withPayload(delta, Array.isArray(written) ? written[1] : payload);
}

function withPayload(delta: MessageDelta, payload: unknown): MessageDelta {
  // The copy has the same type as the original payload.
  return { ...delta, payload } as MessageDelta;
}

function createDepthError(field: string): TypeError {
  return new TypeError(`\`${field}\` is nested deeper than ${MAX_VALUE_DEPTH} levels; flatten it.`);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** True if a value has at most this many levels of lists and objects. */
export function isWithinDepth(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return true;
  if (levels <= 0) return false;
  return Object.values(value).every((each) => isWithinDepth(each, levels - 1));
}
