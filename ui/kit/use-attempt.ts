// Something that is tried: whether it is under way, and why it did not succeed, in words that can be shown.
import { useState } from "react";

export interface Attempt {
  busy: boolean;
  error: string | undefined;
  /** Tries it. Says whether it succeeded. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

export function useAttempt(): Attempt {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await action();
      return true;
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
