// Reads deltas that were written before the payload field `part` was renamed to `partKey`. Ledgers and logs contain
// such deltas, so every reader accepts both names; every writer writes `partKey`.
import { copyObject } from "./json/index.ts";

/**
 * Returns a copy of the delta with `partKey` instead of `part`; the delta itself if it has no `part`. The payload is
 * not checked and can be any value, because the delta may come from a log.
 */
export function withPartKey<D extends object>(delta: D & { payload?: unknown }): D {
  const payload = delta.payload as { part?: unknown; partKey?: unknown } | null | undefined;
  if (payload?.part === undefined || payload.partKey !== undefined) return delta;
  const { part } = payload;
  const renamed = Object.assign(copyObject(payload), { partKey: part });
  delete renamed.part;
  return { ...delta, payload: renamed };
}
