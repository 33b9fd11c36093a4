// Says something in a chat. While an answer streams, what is said waits for it, or takes its place.
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { useModels } from "../data/hooks.ts";
import type { AskSettings, ConversationActions, ConversationState, QueuedMessage } from "../data/types.ts";
import { Button, useShortcut } from "../kit/index.ts";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { type Saying, sayWaiting, send, stopChat, takeBack } from "./chat-actions.ts";
import { ComposerBox } from "./composer-box.tsx";
import styles from "./composer.module.css";
import { keepFollowUps } from "./follow-up-keeper.tsx";
import { answering, followUps, mayFollow, unanswered } from "./follow-ups.ts";
import { lastModel, rememberModel } from "./model-choice.ts";
import { ModelPicker } from "./model-picker.tsx";
import { ModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { useAttempt } from "../kit/use-attempt.ts";
import { useDraft } from "./use-draft.ts";
import { useLatest } from "./use-latest.ts";

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
  const [ask, picker] = useModelChoice(state, actions);
  const isAnswering = answering(state).length > 0;
  const stop = (): void => void stopChat(threadId, actions, stopping);
  const doing: Saying = { threadId, actions, attempt: saying, latest: useLatest(state) };
  const submit = (): void => {
    if (hold.blank || saying.busy) return;
    void send(doing, ask, isAnswering ? mode : "now");
  };
  useShortcut("Escape", () => (isAnswering ? stop() : false), "Stop the answer");
  return (
    <>
      <Unanswered state={state} busy={saying.busy} onAsk={(id) => void saying.run(() => actions.regenerate(id, ask))} />
      <Waiting doing={doing} state={state} />
      <ComposerBox
        hold={hold}
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

/** Which model gives the next answer: any that the server knows, whoever gave the ones before. */
function useModelChoice(state: ConversationState, actions: ConversationActions): [AskSettings, ReactNode] {
  const models = useModels();
  // Until the thread remembers it.
  const [chosen, setChosen] = useState<string>();
  const model = chosen ?? state.ask.model;
  const choose = (id: string): void => {
    setChosen(id);
    rememberModel(id);
    // Where it cannot be remembered, it is still said with the next question.
    actions.remember({ model: id }).catch(() => undefined);
  };
  const picker = (
    <ModelPicker
      compact
      label="Model for the next answer"
      value={model ?? ""}
      placeholder={lastModel(state) ?? "The server’s choice"}
      models={models}
      onChange={choose}
    />
  );
  return [model === undefined ? {} : { model }, picker];
}

/** What waits for this answer. */
function Waiting({ doing, state }: { doing: Saying; state: ConversationState }) {
  const { threadId } = doing;
  const waiting = useSyncExternalStore(followUps.subscribe, () => followUps.list(threadId));
  const isAnswering = answering(state).length > 0;
  useEffect(() => keepFollowUps(threadId), [threadId, waiting, isAnswering]);
  const when = isAnswering || mayFollow(state) ? BY_ITSELF : BY_HAND;
  return (
    <QueuePanel
      items={waiting}
      note={followUps.isKept(threadId) ? when : `${when} Too large to outlive a reload.`}
      onTakeBack={(id) => takeBack(threadId, id)}
      onSayNow={isAnswering ? undefined : (id) => void sayWaiting(doing, id)}
    />
  );
}

const BY_ITSELF = "Said by itself when this answer is there.";
const BY_HAND = "The last answer did not end as usual: say it when you like.";

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
