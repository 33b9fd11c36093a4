// Reads deltas that were written before the payload field `part` was renamed to `partKey`. Such deltas are in ledgers
// and in logs; every reader accepts both names, every writer writes `partKey`.
import { copyObject } from "./json/index.ts";

/**
 * Returns the delta with `partKey`; the same object if it does not have the old field. The argument is not changed. The
 * payload of a delta from a log is unchecked and can be any value.
 */
export function withPartKey<D extends object>(delta: D & { payload?: unknown }): D {
  const payload = delta.payload as { part?: unknown; partKey?: unknown } | null | undefined;
  if (payload?.part === undefined || payload.partKey !== undefined) return delta;
  const { part } = payload;
  const renamed = Object.assign(copyObject(payload), { partKey: part });
  delete renamed.part;
  return { ...delta, payload: renamed };
}
