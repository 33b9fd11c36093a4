// Hook that returns the number of losses of a message's run. The run is read once, when the user points at the message.
import { useEffect, useState } from "react";
import { useApi } from "../../data/hooks.ts";

const lossCounts = new Map<string, number>();
const MAX_CACHED_RUNS = 500;

export interface MessageLosses {
  count: number;
  show: () => void;
}

/**
 * Returns the losses of a run; undefined until they are read. The caller passes no `runId` until the user points at the
 * message.
 */
export function useLossCount(runId: string | undefined, show: (runId: string) => void): MessageLosses | undefined {
  const api = useApi();
  const [count, setCount] = useState(runId === undefined ? undefined : lossCounts.get(runId));
  useEffect(() => {
    if (runId === undefined || count !== undefined) return undefined;
    let isMounted = true;
    const cached = lossCounts.get(runId);
    const read = cached === undefined ? api.run(runId).then(({ losses }) => losses.length) : Promise.resolve(cached);
    read.then(
      (losses) => {
        if (lossCounts.size >= MAX_CACHED_RUNS) lossCounts.clear();
        lossCounts.set(runId, losses);
        if (isMounted) setCount(losses);
      },
      // The error is ignored here: the dialog with the details of the run reads the run again and shows the error.
      () => undefined,
    );
    return () => void (isMounted = false);
  }, [api, runId, count]);
  if (runId === undefined || count === undefined) return undefined;
  return { count, show: () => show(runId) };
}
