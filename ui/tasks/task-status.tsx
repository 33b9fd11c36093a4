// Shows the status line of a task, with a retry button after a failure.
import { type Message, user } from "koine";
import type { TaskActivity } from "../data/types.ts";
import { Button, Icon, type IconName, Spinner } from "../kit/index.ts";
import styles from "./tasks.module.css";
import { describeTask } from "./task-descriptions.ts";

export interface TaskStatusProps {
  task: TaskActivity;
  /** Sends a message that makes a failed task try again. */
  onRetry: (message: Message) => void;
}

const STATE_ICONS: Record<TaskActivity["state"], IconName | undefined> = {
  idle: undefined,
  running: undefined,
  waiting: "clock",
  failed: "error",
  cancelled: "stop",
};

export function TaskStatus({ task, onRetry }: TaskStatusProps) {
  const { state, model } = task;
  const icon = STATE_ICONS[state];
  return (
    // While the task waits for approvals, this line is not announced, because the approvals have their own alert.
    <div
      className={styles["status"]}
      data-state={state}
      role="status"
      aria-label="Task"
      aria-live={state === "waiting" ? "off" : "polite"}
    >
      {state === "running" && <Spinner size={14} />}
      {icon !== undefined && <Icon name={icon} size={16} />}
      <span className={styles["sentence"]}>{describeTask(task)}</span>
      {state === "failed" && (
        <Button
          small
          icon="refresh"
          onClick={() => onRetry(user(RETRY_TEXT))}
          title={`Sends “${RETRY_TEXT}” to the model`}
        >
          Try again
        </Button>
      )}
      {model !== undefined && state !== "failed" && <span className={styles["model"]}>{model}</span>}
    </div>
  );
}

/** Text of the message that a retry sends; a failed task continues when it receives a message. */
const RETRY_TEXT = "Continue.";
