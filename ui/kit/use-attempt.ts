// Hook that runs an async action and tracks its busy state and error message.
import { useState } from "react";

export interface ActionAttempt {
  busy: boolean;
  error: string | undefined;
  /** Runs the action; returns true if it succeeded. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

export function useAttempt(): ActionAttempt {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
      return true;
    } catch (caught) {
      setError(caught instanceof Error ? caught.message : String(caught));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
