// Told when the server cannot be reached; what is shown meanwhile may be old.
import type { Connection } from "../data/types.ts";
import { Spinner } from "../kit/index.ts";
import styles from "./frame.module.css";

export function ConnectionBanner({ connection }: { connection: Connection }) {
  // The region itself is always there: screen readers tell of what changes in one, not of one that comes.
  return (
    <div role="status" className={styles["banner"]}>
      {connection === "offline" && (
        <>
          <Spinner size={14} />
          The server cannot be reached. Trying again…
        </>
      )}
    </div>
  );
}
