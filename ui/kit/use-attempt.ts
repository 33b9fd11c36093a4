// Hook that runs an async action and tracks its busy state and error message.
import { useState } from "react";

export interface ActionAttempt {
  /** True while an action runs. */
  busy: boolean;
  /** Message of the last action's error; undefined if the last action has not failed. */
  error: string | undefined;
  /** Runs the action. Resolves with true if the action succeeded; never rejects. */
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
