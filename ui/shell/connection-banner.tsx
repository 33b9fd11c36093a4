// Shows a banner while the server is unreachable, because the shown data may be outdated.
import type { ConnectionStatus } from "../data/types.ts";
import { Spinner } from "../kit/index.ts";
import styles from "./frame.module.css";

export function ConnectionBanner({ connection }: { connection: ConnectionStatus }) {
  // The element is always rendered, because screen readers announce changes inside a live region but not its insertion.
  return (
    <div role="status" className={styles["banner"]}>
      {connection === "offline" && (
        <>
          <Spinner size={14} />
          The server cannot be reached. Retrying…
        </>
      )}
    </div>
  );
}
