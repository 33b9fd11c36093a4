// Says something to a task: at once where it rests, else into the server's queue. Above it stands what the task is at.
import { useRef, useState } from "react";
import type { ConversationActions, ConversationState, QueuedMessage, TaskState } from "../data/types.ts";
import { useShortcut } from "../kit/index.ts";
import { Approvals } from "../tasks/approvals.tsx";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { TaskStatus } from "../tasks/task-status.tsx";
import { messageForTask, messageOf } from "./attachments.ts";
import { ComposerBox } from "./composer-box.tsx";
import { drafts } from "./drafts.ts";
import { ModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { type Attempt, useAttempt } from "../kit/use-attempt.ts";
import { useDraft } from "./use-draft.ts";

export interface TaskComposerProps {
  threadId: string;
  task: TaskState;
  state: ConversationState;
  actions: ConversationActions;
}

export function TaskComposer({ threadId, task, actions }: TaskComposerProps) {
  const hold = useDraft(threadId);
  const [mode, setMode] = useState<QueuedMessage["mode"]>("steer");
  const saying = useAttempt();
  const stopping = useAttempt();
  const isWorking = task.state === "running" || task.state === "waiting";
  const stop = (): void => void stopTask(threadId, actions, stopping);
  const send = (message: QueuedMessage["message"]): void =>
    void sayToTask({ threadId, actions, attempt: saying, message, mode: isWorking ? mode : undefined });
  const field = useRef<HTMLTextAreaElement>(null);
  const decide: ConversationActions["decide"] = async (...decision) => {
    await actions.decide(...decision);
    // The button that had the focus is about to go.
    field.current?.focus();
  };
  useShortcut("Escape", () => (isWorking ? stop() : false), "Stop the task");
  return (
    <>
      <TaskStatus task={task} onGoOn={(message) => send(message)} />
      <Approvals approvals={task.approvals} decide={decide} />
      <QueuePanel items={task.queue} note={task.state === "failed" ? HELD : QUEUED} />
      <ComposerBox
        hold={hold}
        field={field}
        label="Message"
        placeholder={isWorking ? PLACEHOLDERS[mode] : "Say what to do next"}
        onSubmit={() => {
          if (!hold.blank && !saying.busy) send(messageOf(drafts.take(threadId)));
        }}
        onEscape={() => isWorking && stop()}
        error={saying.error ?? stopping.error}
        tools={isWorking && <ModeChoice kind="task" mode={mode} onChange={setMode} />}
        buttons={
          <>
            {isWorking && <StopButton onStop={stop} busy={stopping.busy} />}
            <SendButton disabled={hold.blank} busy={saying.busy} waits={isWorking} />
          </>
        }
      />
    </>
  );
}

const QUEUED = "Kept by the server, and said when its turn comes.";
const HELD = "Waits until something new is said.";

const PLACEHOLDERS: Record<QueuedMessage["mode"], string> = {
  steer: "Say something after this round of tools",
  "follow-up": "Say something after this answer",
};

/** What waited was not said: it comes back into the field. */
async function stopTask(threadId: string, actions: ConversationActions, attempt: Attempt): Promise<void> {
  await attempt.run(async () => drafts.giveBack(threadId, await actions.stop()));
}

interface Saying {
  threadId: string;
  actions: ConversationActions;
  attempt: Attempt;
  message: QueuedMessage["message"];
  mode: QueuedMessage["mode"] | undefined;
}

async function sayToTask({ threadId, actions, attempt, message, mode }: Saying): Promise<void> {
  const isSaid = await attempt.run(() => actions.say(messageForTask(message), mode && { mode }));
  if (isSaid) drafts.settle(threadId);
  else drafts.giveBack(threadId, [message]);
}
