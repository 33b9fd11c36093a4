// Says something to a task: at once where it rests, else into the server's queue. Above it stands what the task is at.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Message } from "koine";
import type { ConversationActions, ConversationState, QueuedMessage, TaskState } from "../data/types.ts";
import { useShortcut, type Attempt, useAttempt } from "../kit/index.ts";
import { Approvals } from "../tasks/approvals.tsx";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { TaskStatus } from "../tasks/task-status.tsx";
import { EMPTY_DRAFT, messageForTask, messageOf } from "./attachments.ts";
import { takeBack } from "./chat-actions.ts";
import { ComposerBox } from "./composer-box.tsx";
import { deliver } from "./deliver.ts";
import { drafts } from "./drafts.ts";
import { outbox, type Outgoing } from "./outbox.ts";
import { recalled } from "./recalled.ts";
import { ModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { useDraft } from "./use-draft.ts";

export interface TaskComposerProps {
  threadId: string;
  task: TaskState;
  state: ConversationState;
  actions: ConversationActions;
}

export function TaskComposer({ threadId, task, state, actions }: TaskComposerProps) {
  const hold = useDraft(threadId);
  const [mode, setMode] = useState<QueuedMessage["mode"]>("steer");
  const saying = useAttempt();
  const recalling = useAttempt();
  const isWorking = task.state === "running" || task.state === "waiting";
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = (): void => field.current?.focus();
  const stop = (): void => {
    void recalling.run(() => recalled.stop(threadId, task, actions));
    focus();
  };
  const doing: Saying = { threadId, actions, attempt: saying };
  const send = (message: Message): Promise<void> => bring(doing, keep(threadId, message, mode));
  useSettledRecalls(threadId, state, recalling.busy);
  useShortcut("Escape", () => (isWorking ? stop() : false), "Stop the task");
  return (
    <>
      <TaskStatus task={task} onGoOn={(message) => void send(message)} />
      <Approvals approvals={task.approvals} decide={(...decision) => actions.decide(...decision)} onDecided={focus} />
      <TaskQueue doing={doing} task={task} recalling={recalling} />
      <ComposerBox
        hold={hold}
        field={field}
        label="Message"
        placeholder={isWorking ? PLACEHOLDERS[mode] : "Say what to do next"}
        onSubmit={() => {
          if (hold.blank || saying.busy) return;
          const sent = send(messageOf(drafts.get(threadId)));
          drafts.set(threadId, EMPTY_DRAFT);
          void sent;
          focus();
        }}
        onEscape={() => isWorking && stop()}
        error={saying.error ?? recalling.error}
        tools={isWorking && <ModeChoice kind="task" mode={mode} onChange={setMode} />}
        buttons={
          <>
            {isWorking && <StopButton onStop={stop} busy={recalling.busy} />}
            <SendButton disabled={hold.blank} busy={saying.busy} waits={isWorking} />
          </>
        }
      />
    </>
  );
}

const PLACEHOLDERS: Record<QueuedMessage["mode"], string> = {
  steer: "Say something after this round of tools",
  "follow-up": "Say something after this answer",
};

/** The server's queue, and behind it what this tab has not brought there yet. */
function TaskQueue({ doing, task, recalling }: { doing: Saying; task: TaskState; recalling: Attempt }) {
  const { threadId, actions } = doing;
  const own = useSyncExternalStore(outbox.subscribe, () => outbox.list(threadId));
  const back = (id: string): void => {
    const queued = task.queue.find((each) => each.id === id);
    if (queued === undefined) takeBack(threadId, id);
    else void recalling.run(() => recalled.takeBack(threadId, queued, actions));
  };
  return (
    <QueuePanel
      items={[...task.queue, ...own]}
      note={task.queue.length === 0 ? "" : task.state === "failed" ? HELD : QUEUED}
      onTakeBack={back}
      onSayNow={(id) => {
        const item = outbox.get(threadId, id);
        if (item !== undefined) void bring(doing, item);
      }}
    />
  );
}

const QUEUED = "Kept by the server, and said when its turn comes.";
const HELD = "Waits until something new is said.";

/** A message and the news that it does not wait any more may be told of one after the other. */
const SETTLED_MS = 300;

/** What was asked back, and of which the reply was lost, comes back when the task says what became of it. */
function useSettledRecalls(threadId: string, state: ConversationState, isBusy: boolean): void {
  const { task, bodies, connection } = state;
  const isSure = connection === "live" && !isBusy;
  useEffect(() => {
    if (!isSure || recalled.list(threadId).length === 0) return undefined;
    const timer = setTimeout(() => recalled.settle(threadId, { task, bodies }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [threadId, task, bodies, isSure]);
}

interface Saying {
  threadId: string;
  actions: ConversationActions;
  attempt: Attempt;
}

function keep(threadId: string, message: Message, mode: QueuedMessage["mode"]): Outgoing {
  return outbox.add(threadId, { message, mode, ask: {}, stage: "sending" });
}

async function bring({ threadId, actions, attempt }: Saying, item: Outgoing): Promise<void> {
  const say: ConversationActions["say"] = (message, how) => actions.say(messageForTask(message), how);
  await attempt.run(() => deliver({ threadId, say }, item));
}
