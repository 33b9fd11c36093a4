// What goes beside a body: the address of a request, the names that it had to change, the status of an error. A record
// may come as `{ address?, names?, status?, body }`, and `--address` writes it so.
import type { Address, Names } from "../../dialects/index.ts";
import { isObject } from "../../dialects/index.ts";

export interface Beside {
  address?: Address;
  names?: Names;
  status?: number;
}

const FIELDS: ReadonlySet<string> = new Set(["address", "names", "status", "body"]);

/** A record and what came beside it. Only what has a body and nothing unknown is an envelope. */
export function unwrap(value: unknown): { body: unknown; beside: Beside } {
  if (!isObject(value) || value["body"] === undefined) return { body: value, beside: {} };
  for (const key in value) if (!FIELDS.has(key)) return { body: value, beside: {} };
  const { body, address, names, status } = value;
  const beside: Beside = {};
  // Decoders look at single fields of these and ignore what is of another type.
  if (isObject(address)) beside.address = address;
  if (isObject(names)) beside.names = names;
  if (typeof status === "number") beside.status = status;
  return { body, beside };
}

/** What an encoder put beside the body and the body does not say; undefined where that is nothing. */
export function besideOf(encoded: Beside & { wire: unknown }): Beside | undefined {
  const { address, names, status, wire } = encoded;
  const body: Readonly<Record<string, unknown>> = isObject(wire) ? wire : {};
  const beside: Beside = {};
  const missing = Object.entries(address ?? {}).filter(([key, value]) => value !== undefined && body[key] !== value);
  if (missing.length > 0) beside.address = Object.fromEntries(missing);
  if (names !== undefined) beside.names = names;
  if (status !== undefined) beside.status = status;
  return Object.keys(beside).length > 0 ? beside : undefined;
}
