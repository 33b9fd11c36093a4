// What a delta says beyond the contract: unknown fields become residue in `payload.extra.run`, which mirrors the wire
// as the residue of parts does, so that they reach the assembled part; events of unknown kinds become opaque parts.
import type { Delta, DeltaKind } from "../../model/delta.ts";
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyField, isObject, restOf } from "../read.ts";
import { keepFields, restoreFields } from "../residue.ts";
import { DELTA_FIELDS, hasTable, leftOver } from "./fields.ts";

/** What makes a delta part of a run. */
export const STAMP = ["runId", "seq", "timestamp"] as const;
const DELTA_KEYS: ReadonlySet<string> = new Set([...STAMP, "kind", "payload", "providerRaw"]);
const EXTRA: ReadonlySet<string> = new Set(["extra"]);
const NOTHING: ReadonlySet<string> = new Set();
const BESIDE_EVENT: ReadonlySet<string> = new Set([...STAMP, "providerRaw"]);

/** The payload of a delta on the wire, with what is unknown in it and beside it as residue. */
export function liftResidue(wire: JsonObject, payload: JsonObject, kind: DeltaKind, dialect: string): JsonObject {
  const beside = restOf(wire, DELTA_KEYS);
  const within = leftOver(payload, DELTA_FIELDS[kind]);
  if (beside === undefined && within === undefined) return payload;
  const known = restOf(payload, new Set(Object.keys(within ?? {}))) ?? {};
  const extra = isObject(known["extra"]) ? known["extra"] : {};
  const earlier = isObject(extra[dialect]) ? extra[dialect] : {};
  const residue = addTo(earlier, beside, dialect);
  if (within !== undefined) residue["payload"] = addTo(earlier["payload"], within, dialect);
  known["extra"] = { ...extra, [dialect]: residue };
  return known;
}

/** A copy of earlier residue with unknown fields added. */
function addTo(earlier: JsonValue | undefined, fields: JsonObject | undefined, dialect: string): JsonObject {
  const residue = (isObject(earlier) ? restOf(earlier, NOTHING) : undefined) ?? {};
  keepFields({ extra: { [dialect]: residue } }, dialect, fields);
  return residue;
}

/** `{ kind, payload }` as on the wire: residue stands where it came from, as far as its place is free. */
export function lowerResidue(delta: Delta, dialect: string): JsonObject {
  // A delta is JSON; which fields its payload has does not matter here.
  const payload = delta.payload as unknown as JsonObject;
  const wire: JsonObject = { kind: delta.kind, payload };
  const { extra } = payload;
  const residue = isObject(extra) ? extra[dialect] : undefined;
  if (!isObject(extra) || !isObject(residue) || !hasTable(DELTA_FIELDS, delta.kind)) return wire;
  const table = DELTA_FIELDS[delta.kind];
  const stays = giveBack(wire, residue, dialect, (key) => !DELTA_KEYS.has(key));
  const lowered = restOf(payload, EXTRA) ?? {};
  if (isObject(residue["payload"])) {
    const isUnknown = (key: string, value: JsonValue): boolean =>
      !Object.hasOwn(payload, key) && leftOver(singleField(key, value), table) !== undefined;
    const kept = giveBack(lowered, residue["payload"], dialect, isUnknown);
    if (kept === undefined) delete stays?.["payload"];
    else if (stays !== undefined) stays["payload"] = kept;
  }
  const others = restOf(extra, new Set([dialect])) ?? {};
  if (stays !== undefined && (Object.keys(stays).length > 0 || Object.keys(residue).length === 0))
    others[dialect] = stays;
  if (Object.keys(others).length > 0) lowered["extra"] = others;
  wire["payload"] = lowered;
  return wire;
}

/** Writes the fields that may stand on the wire; the others are the answer, or undefined where all could. */
function giveBack(
  wire: JsonObject,
  fields: JsonObject,
  dialect: string,
  mayStand: (key: string, value: JsonValue) => boolean,
): JsonObject | undefined {
  const goes: JsonObject = {};
  const stays: JsonObject = {};
  for (const key of Object.keys(fields)) {
    copyField(fields, key, key !== "$form" && mayStand(key, fields[key] ?? null) ? goes : stays);
  }
  restoreFields(wire, { extra: { [dialect]: goes } }, dialect);
  return Object.keys(goes).length > 0 && Object.keys(stays).length === 0 ? undefined : stays;
}

function singleField(key: string, value: JsonValue): JsonObject {
  const fields: JsonObject = {};
  setOwn(fields, key, value);
  return fields;
}

/** An event of a kind that the contract does not know, as a part: never lost, never an error (B43). */
export function opaqueEvent(wire: JsonObject, dialect: string): Delta {
  const delta: Delta = {
    kind: "part",
    payload: { value: { type: "opaque", dialect, value: restOf(wire, BESIDE_EVENT) ?? {} } },
  };
  if (wire["providerRaw"] !== undefined) delta.providerRaw = wire["providerRaw"];
  return delta;
}

/** The event that `opaqueEvent` made a part of; undefined for every other delta. */
export function wireOfOpaque(delta: Delta, dialect: string): JsonObject | undefined {
  if (delta.kind !== "part" || Object.keys(delta.payload).length !== 1) return undefined;
  const { value: part } = delta.payload;
  if (part.type !== "opaque" || part.dialect !== dialect || Object.keys(part).length !== 3) return undefined;
  const event = part.value;
  if (!isObject(event) || typeof event["kind"] !== "string" || hasTable(DELTA_FIELDS, event["kind"])) return undefined;
  return [...BESIDE_EVENT].some((key) => Object.hasOwn(event, key)) ? undefined : event;
}
