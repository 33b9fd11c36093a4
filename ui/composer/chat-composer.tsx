// Says something in a chat. While an answer streams, what is said waits for it, or takes its place.
import { useState, useSyncExternalStore } from "react";
import { useModels } from "../data/hooks.ts";
import type { AskSettings, ConversationActions, ConversationState, QueuedMessage } from "../data/types.ts";
import { useShortcut } from "../kit/index.ts";
import { QueuePanel } from "../tasks/queue-panel.tsx";
import { messageOf } from "./attachments.ts";
import { ComposerBox } from "./composer-box.tsx";
import { drafts } from "./drafts.ts";
import { answering, followUps, mayFollow } from "./follow-ups.ts";
import { lastModel, rememberModel } from "./model-choice.ts";
import { ModelPicker } from "./model-picker.tsx";
import { ModeChoice, SendButton, StopButton } from "./send-buttons.tsx";
import { type Attempt, useAttempt } from "./use-attempt.ts";
import { useDraft } from "./use-draft.ts";
import { useFollowUps } from "./use-follow-ups.ts";

export interface ChatComposerProps {
  threadId: string;
  state: ConversationState;
  actions: ConversationActions;
}

export function ChatComposer({ threadId, state, actions }: ChatComposerProps) {
  const hold = useDraft(threadId);
  const models = useModels();
  const [model, setModel] = useState<string>();
  const [mode, setMode] = useState<QueuedMessage["mode"]>("follow-up");
  const attempt = useAttempt();
  const isAnswering = answering(state).length > 0;
  const ask: AskSettings = model === undefined ? {} : { model };
  const waiting = useSyncExternalStore(followUps.subscribe, () => followUps.list(threadId));
  const { stop, send } = chatActions({ threadId, actions, attempt, ask });
  useFollowUps({ threadId, state, actions, attempt });
  useShortcut("Escape", () => (isAnswering ? void stop() : false), "Stop the answer");
  const submit = (): void => {
    if (hold.blank || (attempt.busy && !isAnswering)) return;
    void send(isAnswering ? mode : "now");
  };
  return (
    <>
      <QueuePanel
        items={waiting}
        note={noteOn(waiting.length, isAnswering || mayFollow(state), followUps.isKept(threadId))}
        onTakeBack={(id) => drafts.giveBack(threadId, taken(threadId, id))}
        onSayNow={isAnswering ? undefined : (id) => void sayNow(threadId, id, actions, attempt)}
      />
      <ComposerBox
        hold={hold}
        label="Message"
        placeholder={isAnswering ? PLACEHOLDERS[mode] : "Write a message"}
        onSubmit={submit}
        onEscape={() => isAnswering && void stop()}
        error={attempt.error}
        tools={
          <>
            <ModelPicker
              compact
              label="Model for the next answer"
              value={model ?? ""}
              placeholder={lastModel(state) ?? "The server's choice"}
              models={models}
              onChange={(chosen) => {
                setModel(chosen);
                rememberModel(chosen);
              }}
            />
            {isAnswering && <ModeChoice kind="chat" mode={mode} onChange={setMode} />}
          </>
        }
        buttons={
          <>
            {isAnswering && <StopButton onStop={() => void stop()} />}
            <SendButton disabled={hold.blank} busy={attempt.busy && !isAnswering} waits={isAnswering && mode === "follow-up"} />
          </>
        }
      />
    </>
  );
}

const PLACEHOLDERS: Record<QueuedMessage["mode"], string> = {
  "follow-up": "Say something after this answer",
  steer: "Stop this answer and say something else",
};

interface Doing extends Omit<ChatComposerProps, "state"> {
  attempt: Attempt;
  ask: AskSettings;
}

function chatActions({ threadId, actions, attempt, ask }: Doing) {
  /** What waits comes back into the field: whoever stops an answer may want to say something else. */
  const stop = (): Promise<boolean> =>
    attempt.run(async () => {
      await actions.stop();
      drafts.giveBack(
        threadId,
        followUps.takeAll(threadId).map(({ message }) => message),
      );
    });
  const send = async (how: QueuedMessage["mode"] | "now"): Promise<void> => {
    const message = messageOf(drafts.take(threadId));
    if (how === "follow-up") {
      followUps.add(threadId, message, ask);
      drafts.settle(threadId);
      return;
    }
    const isSaid = await attempt.run(async () => {
      if (how === "steer") await actions.stop();
      await actions.say(message, ask);
    });
    if (isSaid) drafts.settle(threadId);
    else drafts.giveBack(threadId, [message]);
  };
  return { stop, send };
}

function taken(threadId: string, id: string): QueuedMessage["message"][] {
  const followUp = followUps.take(threadId, id);
  return followUp === undefined ? [] : [followUp.message];
}

async function sayNow(threadId: string, id: string, actions: ConversationActions, attempt: Attempt): Promise<void> {
  const followUp = followUps.take(threadId, id);
  if (followUp === undefined) return;
  const isSaid = await attempt.run(() => actions.say(followUp.message, followUp.ask));
  if (!isSaid) drafts.giveBack(threadId, [followUp.message]);
}

function noteOn(count: number, flows: boolean, isKept: boolean): string {
  const when = flows ? "Said by itself when this answer is there." : "The last answer did not end as usual: say it when you like.";
  return count === 0 || isKept ? when : `${when} Too large to outlive a reload.`;
}
