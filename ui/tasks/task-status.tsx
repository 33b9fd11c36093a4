// What a task is at, in words, and how to go on where it is at its end.
import { type Message, user } from "koine";
import type { TaskState } from "../data/types.ts";
import { Button, Icon, type IconName, Spinner } from "../kit/index.ts";
import styles from "./tasks.module.css";
import { describeTask } from "./task-words.ts";

export interface TaskStatusProps {
  task: TaskState;
  /** Says something that lets a failed task try again. */
  onGoOn: (message: Message) => void;
}

const SIGNS: Record<TaskState["state"], IconName | undefined> = {
  idle: undefined,
  running: undefined,
  waiting: "clock",
  failed: "error",
  cancelled: "stop",
};

export function TaskStatus({ task, onGoOn }: TaskStatusProps) {
  const { state, model } = task;
  const sign = SIGNS[state];
  return (
    // That somebody is waited for is announced beside what is waited for, and not twice.
    <div
      className={styles["status"]}
      data-state={state}
      role="status"
      aria-label="Task"
      aria-live={state === "waiting" ? "off" : "polite"}
    >
      {state === "running" && <Spinner size={14} />}
      {sign !== undefined && <Icon name={sign} size={16} />}
      <span className={styles["sentence"]}>{describeTask(task)}</span>
      {state === "failed" && (
        <Button small icon="refresh" onClick={() => onGoOn(user(GO_ON))} title={`Says “${GO_ON}” to the model`}>
          Try again
        </Button>
      )}
      {model !== undefined && state !== "failed" && <span className={styles["model"]}>{model}</span>}
    </div>
  );
}

/** A task goes on when something is said to it. */
const GO_ON = "Go on.";
