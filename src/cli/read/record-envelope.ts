// Reads and creates the envelope of a record, `{ address?, names?, status?, body }`: request data outside the body,
// renamed tools, and the status of an error. With `--address`, records are written with their envelope.
import type { RequestEnvelope, Renames } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";

export interface RecordEnvelope {
  address?: RequestEnvelope;
  names?: Renames;
  status?: number;
}

const FIELDS: ReadonlySet<string> = new Set(["address", "names", "status", "body"]);

/**
 * Separates the body of a record from its envelope. A value is an envelope only if it is an object with a `body` and
 * without unknown fields; any other value is a body with an empty envelope.
 */
export function unwrapRecord(value: unknown): { body: unknown; envelope: RecordEnvelope } {
  if (!isObject(value) || value["body"] === undefined) return { body: value, envelope: {} };
  for (const key in value) if (!FIELDS.has(key)) return { body: value, envelope: {} };
  const { body, address, names, status } = value;
  const envelope: RecordEnvelope = {};
  // The fields of `address` and `names` are not checked, because decoders ignore envelope fields of a wrong type.
  if (isObject(address)) envelope.address = address;
  if (isObject(names)) envelope.names = names;
  if (typeof status === "number") envelope.status = status;
  return { body, envelope };
}

/**
 * Returns the envelope for an encoder's output: the request data that the body does not contain, renamed tools, and the
 * status of an error; undefined if there is none of these.
 */
export function createEnvelope(encoded: RecordEnvelope & { wire: unknown }): RecordEnvelope | undefined {
  const { address, names, status, wire } = encoded;
  const body: Readonly<Record<string, unknown>> = isObject(wire) ? wire : {};
  const envelope: RecordEnvelope = {};
  const missing = Object.entries(address ?? {}).filter(([key, value]) => value !== undefined && body[key] !== value);
  if (missing.length > 0) envelope.address = Object.fromEntries(missing);
  if (names !== undefined) envelope.names = names;
  if (status !== undefined) envelope.status = status;
  return Object.keys(envelope).length > 0 ? envelope : undefined;
}
