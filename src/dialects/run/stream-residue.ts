// Residue of run deltas: unknown fields are stored in `payload.extra.run`, which mirrors the wire like the residue of
// parts, so that they reach the assembled part; events of unknown kinds become opaque parts.
import { DELTA_FIELDS } from "../../assembly/payload-fields.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { sameJson } from "../../model/json/index.ts";
import { isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue, restoreFields } from "../kit/residue/residue.ts";
import { splitFields } from "./fields.ts";

/** Fields beside the kind and payload of every event. */
const ENVELOPE_FIELDS: ReadonlySet<string> = new Set(["runId", "seq", "timestamp", "providerRaw"]);
const DELTA_KEYS: ReadonlySet<string> = new Set([...ENVELOPE_FIELDS, "kind", "payload"]);
const NOTHING: ReadonlySet<string> = new Set();

/** Returns the delta of a checked event; an event of an unknown kind becomes an opaque part (B43). */
export function toDelta(wire: JsonObject, dialect: string): Delta {
  const { kind, payload } = wire;
  const contract = DELTA_FIELDS.get(kind);
  if (contract === undefined || !isObject(payload)) {
    return {
      kind: "part",
      payload: { value: { type: "opaque", dialect, value: unknownFields(wire, ENVELOPE_FIELDS) } },
    };
  }
  const { known, unknown: payloadFields } = splitFields(payload, contract.all);
  const outerFields = unknownFields(wire, DELTA_KEYS);
  const isPlain = payloadFields === undefined && outerFields === undefined;
  // The fields were checked against the table.
  return {
    kind,
    payload: isPlain ? known : withResidue(known, outerFields, payloadFields, dialect),
  } as unknown as Delta;
}

/** Returns a copy of a payload with unknown fields in its residue. */
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

/** Copies the fields of an object with the exact digits of numbers. */
function copyFields(value: JsonValue | undefined): JsonObject {
  return (isObject(value) ? unknownFields(value, NOTHING) : undefined) ?? {};
}

/**
 * Returns a new `{ kind, payload }`. Residue is restored as unknown fields or an unknown event if that decodes to the same
 * delta; otherwise it stays in the payload, which decodes to the same delta, too.
 */
export function toWireDelta(delta: Delta, dialect: string): JsonObject {
  // A delta is JSON.
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
