// Why there is no answer, and what to do about it.
import { Button, Icon } from "../kit/index.ts";
import { useCommands } from "./context.ts";
import styles from "./failure-row.module.css";
import type { FailureRow } from "./rows.ts";

export interface FailureRowProps {
  row: FailureRow;
  /** A task tries again as a whole, where it is written to. */
  isTask: boolean;
}

export function FailureRowView({ row, isTask }: FailureRowProps) {
  const { regenerate, chooseModel, showRun } = useCommands();
  const { run, after } = row;
  const wasStopped = run.state === "cancelled";
  return (
    <article
      className={styles["failure"]}
      data-stopped={wasStopped}
      data-row={row.key}
      aria-label="No answer"
      tabIndex={0}
    >
      <Icon name={wasStopped ? "stop" : "error"} />
      <div>
        <strong>{wasStopped ? "Stopped before anything was said" : "There is no answer"}</strong>
        {run.error !== undefined && !wasStopped && (
          <p>
            {run.error.message} <code>{run.error.kind}</code>
          </p>
        )}
        <div className={styles["buttons"]}>
          {!isTask && (
            <>
              <Button small icon="refresh" variant="primary" onClick={() => regenerate(after)}>
                Retry
              </Button>
              <Button small icon="spark" onClick={() => chooseModel(after)}>
                Another model…
              </Button>
            </>
          )}
          <Button small icon="play" onClick={() => showRun(run.id)}>
            Show run
          </Button>
        </div>
      </div>
    </article>
  );
}
