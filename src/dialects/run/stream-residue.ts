// What a delta says beyond the contract: unknown fields become residue in `payload.extra.run`, which mirrors the wire
// as the residue of parts does, so that they reach the assembled part; events of unknown kinds become opaque parts.
import { DELTA_FIELDS } from "../../assembly/payload-fields.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { storeResidue, putBack } from "../kit/residue.ts";
import { sift } from "./fields.ts";

/** What stands beside any event, and is no part of what it says. */
const BESIDE: ReadonlySet<string> = new Set(["runId", "seq", "timestamp", "providerRaw"]);
const DELTA_KEYS: ReadonlySet<string> = new Set([...BESIDE, "kind", "payload"]);
const NOTHING: ReadonlySet<string> = new Set();

/** The delta of an event whose fields have been checked; a kind that the contract does not know is a part (B43). */
export function readDelta(wire: JsonObject, dialect: string): Delta {
  const { kind, payload } = wire;
  const contract = DELTA_FIELDS.get(kind);
  if (contract === undefined || !isObject(payload)) {
    return { kind: "part", payload: { value: { type: "opaque", dialect, value: unknownFields(wire, BESIDE) } } };
  }
  const { known, rest } = sift(payload, contract.all);
  const beside = unknownFields(wire, DELTA_KEYS);
  const isPlain = rest === undefined && beside === undefined;
  // The table has been checked.
  return { kind, payload: isPlain ? known : withResidue(known, beside, rest, dialect) } as unknown as Delta;
}

/** A copy of a payload with unknown fields added to its residue. */
function withResidue(
  payload: JsonObject,
  beside: JsonObject | undefined,
  rest: JsonObject | undefined,
  dialect: string,
): JsonObject {
  const copy = copyOf(payload);
  const others = copyOf(copy["extra"]);
  const residue = copyOf(others[dialect]);
  if (rest !== undefined) residue["payload"] = copyOf(residue["payload"]);
  const carrier = { extra: { [dialect]: residue } };
  storeResidue(carrier, dialect, beside);
  storeResidue(carrier, dialect, rest, "payload");
  copy["extra"] = { ...others, ...carrier.extra };
  return copy;
}

/** Every field of an object, with its digits. */
function copyOf(value: JsonValue | undefined): JsonObject {
  return (isObject(value) ? unknownFields(value, NOTHING) : undefined) ?? {};
}

/**
 * A new `{ kind, payload }` for the wire. What was an unknown field or an event of its own is one again, if that reads
 * as the same delta; otherwise it stays within the delta, where it is read just as well.
 */
export function writeDelta(delta: Delta, dialect: string): JsonObject {
  // A delta is JSON; which fields its payload has does not matter here.
  const plain: JsonObject = { kind: delta.kind, payload: delta.payload as unknown as JsonObject };
  const spelled = eventIn(delta) ?? withoutResidue(delta, dialect);
  return spelled !== undefined && sameJson(readDelta(spelled, dialect), plain) ? spelled : plain;
}

function eventIn(delta: Delta): JsonObject | undefined {
  if (delta.kind !== "part" || delta.payload.value.type !== "opaque") return undefined;
  const event = delta.payload.value.value;
  const isEvent = isObject(event) && typeof event["kind"] === "string" && !DELTA_FIELDS.has(event["kind"]);
  return isEvent ? copyOf(event) : undefined;
}

function withoutResidue({ kind, payload }: Delta, dialect: string): JsonObject | undefined {
  const { extra } = payload;
  if (extra?.[dialect] === undefined) return undefined;
  const bare = unknownFields(payload as unknown as JsonObject, new Set(["extra"])) ?? {};
  const others = unknownFields(extra, new Set([dialect]));
  if (others !== undefined) bare["extra"] = others;
  const wire: JsonObject = { kind, payload: bare };
  putBack(wire, extra[dialect], () => undefined, "payload");
  return wire;
}
