// How much did not arrive in the call behind a message. It stands in the run, which is asked for when somebody looks closer,
// once for each.
import { useEffect, useState } from "react";
import { useApi } from "../data/hooks.ts";

const known = new Map<string, number>();
/** Runs of which more are not kept in mind. */
const MOST = 500;

export interface Losses {
  count: number;
  show: () => void;
}

/** `runId`: undefined until it is to be known. */
export function useLosses(runId: string | undefined, show: (runId: string) => void): Losses | undefined {
  const api = useApi();
  const [count, setCount] = useState(runId === undefined ? undefined : known.get(runId));
  useEffect(() => {
    if (runId === undefined || count !== undefined) return undefined;
    let isWanted = true;
    const found = known.get(runId);
    const read = found === undefined ? api.run(runId).then(({ losses }) => losses.length) : Promise.resolve(found);
    read.then(
      (losses) => {
        if (known.size >= MOST) known.clear();
        known.set(runId, losses);
        if (isWanted) setCount(losses);
      },
      // The dialog tells why, to whoever opens it.
      () => undefined,
    );
    return () => void (isWanted = false);
  }, [api, runId, count]);
  if (runId === undefined || count === undefined) return undefined;
  return { count, show: () => show(runId) };
}
