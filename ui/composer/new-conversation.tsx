// Begins a chat or a task: with whom, how, and the first words.
import { useAttempt } from "../kit/index.ts";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type Message, sameJson } from "koine";
import { useLocation } from "wouter";
import { useApi, useModels } from "../data/hooks.ts";
import { threadPath } from "../routes.ts";
import { EMPTY_DRAFT, messageOf } from "./attachments.ts";
import { ComposerBox } from "./composer-box.tsx";
import { DemoExamples } from "./demo-examples.tsx";
import { drafts } from "./drafts.ts";
import { wishFocus } from "./focus-wish.ts";
import { DEMO } from "../data/models.ts";
import { firstModel, rememberModel } from "./model-choice.ts";
import { ModelPicker } from "./model-picker.tsx";
import styles from "./new-conversation.module.css";
import { ChatOptions, TaskOptions } from "./new-options.tsx";
import { Segmented } from "./segmented.tsx";
import { SendButton } from "./send-buttons.tsx";
import { mistakesIn, NO_SETTINGS, type Options, settingsOf } from "./settings.ts";
import { tabShelf } from "./shelf.ts";
import { beginnings, start, type Wish } from "./start.ts";
import { useDraft } from "./use-draft.ts";

const DRAFT = "new";

const PLAIN: Options = { kind: "chat", model: undefined, instructions: "", settings: NO_SETTINGS, approval: "ask" };

export function NewConversation() {
  const hold = useDraft(DRAFT);
  const models = useModels();
  const [options, change] = useKeptOptions();
  const field = useFirstField();
  const model = options.model ?? firstModel(models);
  const { error, busy, start } = useStart(options, model);
  const isTask = options.kind === "task";
  // Emptied: as if nobody had chosen.
  const pick = (chosen: string): void => change({ model: chosen === "" ? undefined : chosen });
  return (
    <div className={styles["new"]}>
      <div className={styles["head"]}>
        <Segmented label="Kind" value={options.kind} options={KINDS} onChange={(kind) => change({ kind })} />
        <ModelPicker label="Model" value={model} models={models} onChange={pick} />
      </div>
      <p className={styles["about"]}>{ABOUT[options.kind]}</p>
      {isTask ? (
        <TaskOptions options={options} model={model} onChange={change} />
      ) : (
        <ChatOptions options={options} onChange={change} />
      )}
      <ComposerBox
        hold={hold}
        field={field}
        large
        label="First message"
        placeholder={isTask ? "What is to be done?" : "Write a message"}
        onSubmit={() => void (!hold.blank && !busy && start(messageOf(drafts.get(DRAFT))))}
        error={error}
        buttons={<SendButton disabled={hold.blank} busy={busy} />}
      />
      {model === DEMO && (
        <DemoExamples
          kind={options.kind}
          onPick={(text) => {
            hold.write(text);
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}

const KINDS = [
  { value: "chat", label: "Chat" },
  { value: "task", label: "Task" },
] as const;

const ABOUT: Record<Options["kind"], string> = {
  chat: "You say something, the model answers. Any later answer can come from another model.",
  task: "An agent works on its own: it runs tools, takes what you say meanwhile, and goes on after a restart.",
};

/** A field that has the focus at once, where that does not bring up a keyboard over half of the screen. */
function useFirstField() {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  return field;
}

/** What was chosen is there after going elsewhere and back, and after a reload. */
function useKeptOptions(): [Options, (changes: Partial<Options>) => void] {
  // Written below alone.
  const [options, setOptions] = useState(() => (tabShelf.get(KEPT) as Options | undefined) ?? PLAIN);
  const change = (changes: Partial<Options>): void => {
    const next = { ...options, ...changes };
    tabShelf.set(KEPT, next);
    setOptions(next);
  };
  return [options, change];
}

const KEPT = "new-options";

function useStart(options: Options, model: string) {
  const api = useApi();
  const [, navigate] = useLocation();
  const attempt = useAttempt();
  const begin = async (wish: Wish): Promise<void> => {
    await attempt.run(async () => {
      const id = await start(api, wish);
      rememberModel(wish.model);
      // What was typed meanwhile is another message.
      drafts.change(DRAFT, (now) => (sameJson(messageOf(now), wish.message) ? EMPTY_DRAFT : now));
      tabShelf.set(KEPT, undefined);
      wishFocus(id);
      navigate(threadPath(id));
    });
  };
  // The page was left while it was being sent: it is sent once, however far it came.
  const finish = useEffectEvent(() => {
    const pending = beginnings.get();
    if (pending?.stage === "left") void begin(pending.wish);
  });
  useEffect(() => finish(), []);
  const startWith = async (message: Message): Promise<void> => {
    const { kind, instructions, approval } = options;
    if (kind === "chat" && Object.keys(mistakesIn(options.settings)).length > 0) return;
    const settings = settingsOf(options.settings);
    await begin({ kind, model, message, instructions, approval, ...(settings && { settings }) });
  };
  return { ...attempt, start: startWith };
}
