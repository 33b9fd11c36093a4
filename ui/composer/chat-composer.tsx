// Says something in a chat. While an answer streams, what is said waits for it, or takes its place.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ConversationActions, ConversationState, QueuedMessage } from "../data/types.ts";
import { Button, useShortcut, useAttempt } from "../kit/index.ts";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { type Saying, sayWaiting, send, stopChat, takeBack } from "./chat-actions.ts";
import { ComposerBox } from "./composer-box.tsx";
import styles from "./composer.module.css";
import { keepFollowUps } from "./follow-up-keeper.tsx";
import { answering, mayFollow, unanswered, whenSaid } from "./follow-ups.ts";
import { outbox } from "./outbox.ts";
import { ModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { useDraft } from "./use-draft.ts";
import { useNextAsk } from "./use-next-ask.tsx";

export interface ChatComposerProps {
  threadId: string;
  state: ConversationState;
  actions: ConversationActions;
}

export function ChatComposer({ threadId, state, actions }: ChatComposerProps) {
  const hold = useDraft(threadId);
  const [mode, setMode] = useState<QueuedMessage["mode"]>("follow-up");
  const saying = useAttempt();
  const stopping = useAttempt();
  const { ask, picker, along } = useNextAsk(state, actions);
  const field = useRef<HTMLTextAreaElement>(null);
  const isAnswering = answering(state).length > 0;
  const stop = (): void => {
    void stopChat(threadId, actions, stopping);
    // The button that had the focus is about to go.
    field.current?.focus();
  };
  const doing: Saying = { threadId, actions, attempt: saying };
  const submit = (): void => {
    if (hold.blank || saying.busy) return;
    void send(doing, ask, isAnswering ? mode : "now");
    field.current?.focus();
  };
  useShortcut("Escape", () => (isAnswering ? stop() : false), "Stop the answer");
  return (
    <>
      <Unanswered state={state} busy={saying.busy} onAsk={(id) => void saying.run(() => actions.regenerate(id, ask))} />
      <Waiting doing={doing} state={state} />
      {along}
      <ComposerBox
        hold={hold}
        field={field}
        label="Message"
        placeholder={isAnswering ? PLACEHOLDERS[mode] : "Write a message"}
        onSubmit={submit}
        onEscape={() => isAnswering && stop()}
        error={saying.error ?? stopping.error}
        tools={
          <>
            {picker}
            {isAnswering && <ModeChoice kind="chat" mode={mode} onChange={setMode} />}
          </>
        }
        buttons={
          <>
            {isAnswering && <StopButton onStop={stop} busy={stopping.busy} />}
            <SendButton disabled={hold.blank} busy={saying.busy} waits={isAnswering && mode === "follow-up"} />
          </>
        }
      />
    </>
  );
}

/** What waits for this answer, and what may not have arrived. */
function Waiting({ doing, state }: { doing: Saying; state: ConversationState }) {
  const { threadId } = doing;
  const { bodies } = state;
  const list = useSyncExternalStore(outbox.subscribe, () => outbox.list(threadId));
  const isAnswering = answering(state).length > 0;
  useEffect(() => outbox.settle(threadId, { bodies }), [threadId, bodies, list]);
  useEffect(() => keepFollowUps(threadId), [threadId, list, isAnswering]);
  const when = whenSaid(list, isAnswering || mayFollow(state));
  return (
    <QueuePanel
      items={list}
      note={outbox.isKept(threadId) ? when : `${when} The files are too large to outlive a reload.`.trim()}
      onTakeBack={(id) => takeBack(threadId, id)}
      onSayNow={isAnswering ? undefined : (id) => void sayWaiting(doing, id)}
    />
  );
}

const PLACEHOLDERS: Record<QueuedMessage["mode"], string> = {
  "follow-up": "Say something after this answer",
  steer: "Stop this answer and say something else",
};

interface UnansweredProps {
  state: ConversationState;
  busy: boolean;
  onAsk: (messageId: string) => void;
}

function Unanswered({ state, busy, onAsk }: UnansweredProps) {
  const id = unanswered(state);
  if (id === undefined || busy) return null;
  return (
    <p className={styles["unanswered"]}>
      Nobody has been asked for an answer to this.{" "}
      <Button small icon="refresh" onClick={() => onAsk(id)}>
        Ask for an answer
      </Button>
    </p>
  );
}
