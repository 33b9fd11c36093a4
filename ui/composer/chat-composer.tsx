// Shows the composer of a chat. A message that is sent while an answer streams waits for the end of the answer
// (follow-up) or stops it (steer).
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ConversationActions, ConversationState, QueueEntry } from "../data/types.ts";
import { Button, useShortcut, useAttempt } from "../kit/index.ts";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { type ComposerContext, sendQueued, sendDraft, stopChat, returnToDraft } from "./outbox/chat-actions.ts";
import { ComposerBox } from "./composer-box.tsx";
import styles from "./composer.module.css";
import { startFollowUpSender } from "./outbox/follow-up-sender.tsx";
import { listAnsweringRuns, canSendFollowUp, findUnansweredMessage, describeSendTime } from "./outbox/follow-ups.ts";
import { outbox } from "./outbox/outbox.ts";
import { QueueModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { useDraft } from "./draft/use-draft.ts";
import { useAnswerSettings } from "./model/use-answer-settings.tsx";

export interface ChatComposerProps {
  threadId: string;
  state: ConversationState;
  actions: ConversationActions;
}

export function ChatComposer({ threadId, state, actions }: ChatComposerProps) {
  const editor = useDraft(threadId);
  const [mode, setMode] = useState<QueueEntry["mode"]>("follow-up");
  const sending = useAttempt();
  const stopping = useAttempt();
  const { answerSettings, picker, inheritedNote } = useAnswerSettings(state, actions);
  const field = useRef<HTMLTextAreaElement>(null);
  const isAnswering = listAnsweringRuns(state).length > 0;
  const stop = (): void => {
    void stopChat(threadId, actions, stopping);
    // When the answer stops, the focused Stop button disappears, so the focus moves to the text field.
    field.current?.focus();
  };
  const context: ComposerContext = { threadId, actions, attempt: sending };
  const submit = (): void => {
    if (editor.isBlank || sending.busy) return;
    void sendDraft(context, answerSettings, isAnswering ? mode : "now");
    field.current?.focus();
  };
  useShortcut("Escape", () => (isAnswering ? stop() : false), "Stop the answer");
  return (
    <>
      <UnansweredNotice
        state={state}
        busy={sending.busy}
        onRequestAnswer={(id) => void sending.run(() => actions.regenerate(id, answerSettings))}
      />
      <ChatQueue doing={context} state={state} />
      {inheritedNote}
      <ComposerBox
        editor={editor}
        field={field}
        label="Message"
        placeholder={isAnswering ? PLACEHOLDERS[mode] : "Write a message"}
        onSubmit={submit}
        onEscape={() => isAnswering && stop()}
        error={sending.error ?? stopping.error}
        tools={
          <>
            {picker}
            {isAnswering && <QueueModeChoice kind="chat" mode={mode} onChange={setMode} />}
          </>
        }
        buttons={
          <>
            {isAnswering && <StopButton onStop={stop} busy={stopping.busy} />}
            <SendButton disabled={editor.isBlank} busy={sending.busy} isQueued={isAnswering && mode === "follow-up"} />
          </>
        }
      />
    </>
  );
}

/** Shows the messages of the outbox: queued, being sent, or failed. */
function ChatQueue({ doing: context, state }: { doing: ComposerContext; state: ConversationState }) {
  const { threadId } = context;
  const { bodies } = state;
  const list = useSyncExternalStore(outbox.subscribe, () => outbox.list(threadId));
  const isAnswering = listAnsweringRuns(state).length > 0;
  useEffect(() => outbox.removeStored(threadId, { bodies }), [threadId, bodies, list]);
  useEffect(() => startFollowUpSender(threadId), [threadId, list, isAnswering]);
  const note = describeSendTime(list, isAnswering || canSendFollowUp(state));
  return (
    <QueuePanel
      items={list}
      note={
        outbox.areFilesStored(threadId) ? note : `${note} The files are too large to store; a reload loses them.`.trim()
      }
      onRecall={(id) => returnToDraft(threadId, id)}
      onSendNow={isAnswering ? undefined : (id) => void sendQueued(context, id)}
    />
  );
}

const PLACEHOLDERS: Record<QueueEntry["mode"], string> = {
  "follow-up": "Send a message after this answer",
  steer: "Stop this answer and send a message",
};

interface UnansweredNoticeProps {
  state: ConversationState;
  busy: boolean;
  onRequestAnswer: (messageId: string) => void;
}

function UnansweredNotice({ state, busy, onRequestAnswer }: UnansweredNoticeProps) {
  const id = findUnansweredMessage(state);
  if (id === undefined || busy) return null;
  return (
    <p className={styles["unanswered"]}>
      No answer to this message was requested.{" "}
      <Button small icon="refresh" onClick={() => onRequestAnswer(id)}>
        Request an answer
      </Button>
    </p>
  );
}
