// Shows the composer of a task. A message is delivered at once if the task is idle, and otherwise added to the server's
// queue. The task's status, approvals and queue are shown above the text field.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Message } from "koine";
import type { ConversationActions, ConversationState, QueueEntry, TaskActivity } from "../data/types.ts";
import { useShortcut, type ActionAttempt, useAttempt } from "../kit/index.ts";
import { Approvals } from "../tasks/approvals.tsx";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { TaskStatus } from "../tasks/task-status.tsx";
import { EMPTY_DRAFT, toTaskMessage, toMessage } from "./draft/attachments.ts";
import { type ComposerContext, returnToDraft } from "./outbox/chat-actions.ts";
import { ComposerBox } from "./composer-box.tsx";
import { deliver } from "./outbox/deliver.ts";
import { drafts } from "./draft/drafts.ts";
import { outbox, type OutboxMessage } from "./outbox/outbox.ts";
import { recalledMessages } from "./outbox/recalled-messages.ts";
import { QueueModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { useDraft } from "./draft/use-draft.ts";

export interface TaskComposerProps {
  threadId: string;
  task: TaskActivity;
  state: ConversationState;
  actions: ConversationActions;
}

export function TaskComposer({ threadId, task, state, actions }: TaskComposerProps) {
  const editor = useDraft(threadId);
  const [mode, setMode] = useState<QueueEntry["mode"]>("steer");
  const sending = useAttempt();
  const recalling = useAttempt();
  const isWorking = task.state === "running" || task.state === "waiting";
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = (): void => field.current?.focus();
  const stop = (): void => {
    void recalling.run(() => recalledMessages.stopTask(threadId, task, actions));
    focus();
  };
  const context: ComposerContext = { threadId, actions, attempt: sending };
  const send = (message: Message): Promise<void> => deliverItem(context, addToOutbox(threadId, message, mode));
  useResolvedRecalls(threadId, state, recalling.busy);
  useShortcut("Escape", () => (isWorking ? stop() : false), "Stop the task");
  return (
    <>
      <TaskStatus task={task} onRetry={(message) => void send(message)} />
      <Approvals
        approvals={task.approvals}
        decide={(...decision) => actions.decideToolCall(...decision)}
        onDecided={focus}
      />
      <TaskQueue doing={context} task={task} recalling={recalling} />
      <ComposerBox
        editor={editor}
        field={field}
        label="Message"
        placeholder={isWorking ? PLACEHOLDERS[mode] : "Describe what to do next"}
        onSubmit={() => {
          if (editor.isBlank || sending.busy) return;
          const sent = send(toMessage(drafts.get(threadId)));
          drafts.set(threadId, EMPTY_DRAFT);
          void sent;
          focus();
        }}
        onEscape={() => isWorking && stop()}
        error={sending.error ?? recalling.error}
        tools={isWorking && <QueueModeChoice kind="task" mode={mode} onChange={setMode} />}
        buttons={
          <>
            {isWorking && <StopButton onStop={stop} busy={recalling.busy} />}
            <SendButton disabled={editor.isBlank} busy={sending.busy} isQueued={isWorking} />
          </>
        }
      />
    </>
  );
}

const PLACEHOLDERS: Record<QueueEntry["mode"], string> = {
  steer: "Send a message after the current tool calls",
  "follow-up": "Send a message after this answer",
};

/**
 * Shows the messages of the server's queue, followed by the messages of the outbox, which this tab has not delivered
 * yet.
 */
function TaskQueue({
  doing: context,
  task,
  recalling,
}: {
  doing: ComposerContext;
  task: TaskActivity;
  recalling: ActionAttempt;
}) {
  const { threadId, actions } = context;
  const unsent = useSyncExternalStore(outbox.subscribe, () => outbox.list(threadId));
  const returnItem = (id: string): void => {
    const queued = task.queue.find((each) => each.id === id);
    if (queued === undefined) returnToDraft(threadId, id);
    else void recalling.run(() => recalledMessages.recall(threadId, queued, actions));
  };
  return (
    <QueuePanel
      items={[...task.queue, ...unsent]}
      note={task.queue.length === 0 ? "" : task.state === "failed" ? PAUSED_NOTE : QUEUED_NOTE}
      onRecall={returnItem}
      onSendNow={(id) => {
        const item = outbox.get(threadId, id);
        if (item !== undefined) void deliverItem(context, item);
      }}
    />
  );
}

const QUEUED_NOTE = "Queued by the server, which delivers it in turn.";
const PAUSED_NOTE = "Paused after a failure. Send a message to continue.";

/**
 * Time without a change of the task before `useResolvedRecalls` decides about recalled messages: the event that removes
 * a message from the queue may arrive before the event that delivers it.
 */
const SETTLE_DELAY_MS = 300;

/**
 * Finishes recalls whose outcome is unknown, because the server's reply was lost or the message was no longer queued:
 * when the task's events show whether the messages were delivered, the undelivered ones return to the draft.
 */
function useResolvedRecalls(threadId: string, state: ConversationState, isBusy: boolean): void {
  const { task, bodies, connection } = state;
  const isSettled = connection === "live" && !isBusy;
  useEffect(() => {
    if (!isSettled || recalledMessages.list(threadId).length === 0) return undefined;
    const timer = setTimeout(() => recalledMessages.resolvePending(threadId, { task, bodies }), SETTLE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [threadId, task, bodies, isSettled]);
}

function addToOutbox(threadId: string, message: Message, mode: QueueEntry["mode"]): OutboxMessage {
  return outbox.add(threadId, { message, mode, answerSettings: {}, stage: "sending" });
}

async function deliverItem({ threadId, actions, attempt }: ComposerContext, item: OutboxMessage): Promise<void> {
  const sendMessage: ConversationActions["sendMessage"] = (message, options) =>
    actions.sendMessage(toTaskMessage(message), options);
  await attempt.run(() => deliver({ threadId, sendMessage }, item));
}
