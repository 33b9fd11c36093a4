// The banner shown while the server is unreachable and the shown data may be outdated.
import type { ConnectionStatus } from "../data/types.ts";
import { Spinner } from "../kit/index.ts";
import styles from "./frame.module.css";

export function ConnectionBanner({ connection }: { connection: ConnectionStatus }) {
  // Always rendered: screen readers announce changes inside a live region, not its insertion.
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
