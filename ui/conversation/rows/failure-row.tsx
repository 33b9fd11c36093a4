// Shows the row that explains why a message has no answer, with buttons to retry.
import { Button, Icon } from "../../kit/index.ts";
import { useCommands } from "./row-commands.ts";
import styles from "./failure-row.module.css";
import type { FailureRow } from "./build-rows.ts";

export interface FailureRowProps {
  row: FailureRow;
  /** True for a task: then the row has no retry buttons, because the composer of a task has one. */
  isTask: boolean;
}

export function FailureRowView({ row, isTask }: FailureRowProps) {
  const { regenerate, openModelDialog, showRun } = useCommands();
  const { run, answeredId } = row;
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
        <strong>{wasStopped ? "Stopped before the answer began" : "The answer failed"}</strong>
        {run.error !== undefined && !wasStopped && (
          <p>
            {run.error.message} <code>{run.error.kind}</code>
          </p>
        )}
        <div className={styles["buttons"]}>
          {!isTask && (
            <>
              <Button small icon="refresh" variant="primary" onClick={() => regenerate(answeredId)}>
                Retry
              </Button>
              <Button small icon="spark" onClick={() => openModelDialog(answeredId)}>
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
