// Told when the server cannot be reached; what is shown meanwhile may be old.
import { ApiError } from "../data/api.ts";
import type { Connection } from "../data/types.ts";
import { Spinner } from "../kit/index.ts";
import styles from "./frame.module.css";

export interface ConnectionBannerProps {
  connection: Connection;
  /** Why the threads could not be read. */
  error: Error | undefined;
}

export function ConnectionBanner({ connection, error }: ConnectionBannerProps) {
  // One that wants a token has been reached.
  const isRefused = error instanceof ApiError && error.status === 401;
  // The region itself is always there: screen readers tell of what changes in one, not of one that comes.
  return (
    <div role="status" className={styles["banner"]}>
      {connection === "offline" && !isRefused && (
        <>
          <Spinner size={14} />
          The server cannot be reached. Trying again…
        </>
      )}
    </div>
  );
}
