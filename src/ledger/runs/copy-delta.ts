// Copies a delta when it is accepted, because the caller may change its values later, but the committed message must
// equal the deltas in the log.
import { isObject } from "../../model/value-kind.ts";
import type { MessageDelta } from "../../model/index.ts";
import { MAX_DEPTH, parseJson } from "../../model/json/index.ts";

/**
 * The maximum number of levels of nesting that a stored message adds around a value of a delta. An annotation in an
 * alternative of an answer has this number of levels around it.
 */
const MAX_LEVELS_AROUND_VALUE = 12;
const MAX_VALUE_DEPTH = MAX_DEPTH - MAX_LEVELS_AROUND_VALUE;
/**
 * The kinds of deltas whose payload object `RunTurn` references until the run ends. `RunTurn` copies the values of all
 * other payloads immediately.
 */
const RETAINED_KINDS: ReadonlySet<string> = new Set(["start", "done", "error"]);

/**
 * Returns the delta with a copy of its payload, parsed from `json`, the JSON of the delta. A payload without lists and
 * objects is copied without parsing, and only if its kind is in RETAINED_KINDS. Throws if a value is nested too deeply
 * to be read back.
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
  // The cast is safe, because the copy has the same type as the original payload.
  return { ...delta, payload } as MessageDelta;
}

function createDepthError(field: string): TypeError {
  return new TypeError(`\`${field}\` is nested deeper than ${MAX_VALUE_DEPTH} levels; flatten it.`);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** True if a value has at most `levels` nested levels of lists and objects. */
export function isWithinDepth(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return true;
  if (levels <= 0) return false;
  return Object.values(value).every((each) => isWithinDepth(each, levels - 1));
}
