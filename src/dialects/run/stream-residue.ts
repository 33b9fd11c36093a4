// Stores and restores the residue of run deltas. Unknown fields are stored in `payload.extra.run`, nested as on the
// wire, so that they reach the assembled part. Events of unknown kinds become opaque parts.
import { DELTA_FIELDS } from "../../assembly/payload-fields.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { sameJson } from "../../model/json/index.ts";
import { isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue, restoreFields } from "../kit/residue/residue.ts";
import { splitFields } from "./fields.ts";

/** The fields of an event other than its kind and payload. */
export const ENVELOPE_FIELDS = ["runId", "seq", "timestamp", "providerRaw"] as const;
const ENVELOPE_KEYS: ReadonlySet<string> = new Set(ENVELOPE_FIELDS);
const DELTA_KEYS: ReadonlySet<string> = new Set([...ENVELOPE_FIELDS, "kind", "payload"]);
const NOTHING: ReadonlySet<string> = new Set();

/** Returns the delta of an event whose fields are checked; an event of an unknown kind becomes an opaque part (B43). */
export function toDelta(wire: JsonObject, dialect: string): Delta {
  const { kind, payload } = wire;
  const contract = DELTA_FIELDS.get(kind);
  if (contract === undefined || !isObject(payload)) {
    return {
      kind: "part",
      payload: { value: { type: "opaque", dialect, value: unknownFields(wire, ENVELOPE_KEYS) } },
    };
  }
  const { known, unknown: payloadFields } = splitFields(payload, contract.all);
  const outerFields = unknownFields(wire, DELTA_KEYS);
  const isPlain = payloadFields === undefined && outerFields === undefined;
  // The cast is safe, because the caller has checked the fields against `DELTA_FIELDS`.
  return {
    kind,
    payload: isPlain ? known : withResidue(known, outerFields, payloadFields, dialect),
  } as unknown as Delta;
}

/** Returns a copy of a payload with the unknown fields in its residue. */
function withResidue(
  payload: JsonObject,
  outerFields: JsonObject | undefined,
  payloadFields: JsonObject | undefined,
  dialect: string,
): JsonObject {
  const copy = copyFields(payload);
  const others = copyFields(copy["extra"]);
  const residue = copyFields(others[dialect]);
  if (payloadFields !== undefined) residue["payload"] = copyFields(residue["payload"]);
  const holder = { extra: { [dialect]: residue } };
  storeResidue(holder, dialect, outerFields);
  storeResidue(holder, dialect, payloadFields, "payload");
  copy["extra"] = { ...others, ...holder.extra };
  return copy;
}

/** Copies the fields of an object, with the exact digits of numbers. */
function copyFields(value: JsonValue | undefined): JsonObject {
  return (isObject(value) ? unknownFields(value, NOTHING) : undefined) ?? {};
}

/**
 * Returns the wire event of a delta. Unknown fields, or an event of an unknown kind, are restored from the residue if
 * the decoder reads the same delta from the restored event; otherwise the payload is written unchanged, with its
 * `extra`.
 */
export function toWireDelta(delta: Delta, dialect: string): JsonObject {
  // The cast is safe, because a delta is JSON.
  const plain: JsonObject = { kind: delta.kind, payload: delta.payload as unknown as JsonObject };
  const restored = findUnknownEvent(delta) ?? restoreDeltaFields(delta, dialect);
  return restored !== undefined && sameJson(toDelta(restored, dialect), plain) ? restored : plain;
}

function findUnknownEvent(delta: Delta): JsonObject | undefined {
  if (delta.kind !== "part" || delta.payload.value.type !== "opaque") return undefined;
  const event = delta.payload.value.value;
  const isEvent = isObject(event) && typeof event["kind"] === "string" && !DELTA_FIELDS.has(event["kind"]);
  return isEvent ? copyFields(event) : undefined;
}

function restoreDeltaFields({ kind, payload }: Delta, dialect: string): JsonObject | undefined {
  const { extra } = payload;
  if (extra?.[dialect] === undefined) return undefined;
  const bare = unknownFields(payload as unknown as JsonObject, new Set(["extra"])) ?? {};
  const others = unknownFields(extra, new Set([dialect]));
  if (others !== undefined) bare["extra"] = others;
  const wire: JsonObject = { kind, payload: bare };
  restoreFields(wire, extra[dialect], () => undefined, "payload");
  return wire;
}
