// Begins a chat or a task: with whom, how, and the first words.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useApi, useModels } from "../data/hooks.ts";
import { threadPath } from "../routes.ts";
import { messageOf } from "./attachments.ts";
import { ComposerBox } from "./composer-box.tsx";
import { DemoExamples } from "./demo-examples.tsx";
import { drafts } from "./drafts.ts";
import { wishFocus } from "./focus-wish.ts";
import { DEMO, firstModel, rememberModel } from "./model-choice.ts";
import { ModelPicker } from "./model-picker.tsx";
import styles from "./new-conversation.module.css";
import { ChatOptions, TaskOptions } from "./new-options.tsx";
import { Segmented } from "./segmented.tsx";
import { SendButton } from "./send-buttons.tsx";
import { mistakesIn, NO_SETTINGS, type Options, settingsOf } from "./settings.ts";
import { startChat, startTask } from "./start.ts";
import { useAttempt } from "../kit/use-attempt.ts";
import { useDraft } from "./use-draft.ts";

const DRAFT = "new";

const PLAIN: Options = { kind: "chat", model: undefined, instructions: "", settings: NO_SETTINGS, approval: "ask" };

export function NewConversation() {
  const hold = useDraft(DRAFT);
  const models = useModels();
  const [options, setOptions] = useState(PLAIN);
  const change = (changes: Partial<Options>): void => setOptions((now) => ({ ...now, ...changes }));
  const field = useFirstField();
  const model = options.model ?? firstModel(models);
  const { error, busy, start } = useStart(options, model);
  const isTask = options.kind === "task";
  return (
    <div className={styles["new"]}>
      <div className={styles["head"]}>
        <Segmented label="Kind" value={options.kind} options={KINDS} onChange={(kind) => change({ kind })} />
        <ModelPicker label="Model" value={model} models={models} onChange={(chosen) => change({ model: chosen })} />
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
        onSubmit={() => void (!hold.blank && !busy && start())}
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

function useStart(options: Options, model: string) {
  const api = useApi();
  const [, navigate] = useLocation();
  const attempt = useAttempt();
  const start = async (): Promise<void> => {
    const { kind, instructions, settings, approval } = options;
    if (kind === "chat" && Object.keys(mistakesIn(settings)).length > 0) return;
    const message = messageOf(drafts.get(DRAFT));
    await attempt.run(async () => {
      const id =
        kind === "task"
          ? await startTask(api, { model, message, approval })
          : await startChat(api, { model, message, instructions, settings: settingsOf(settings) });
      rememberModel(model);
      drafts.set(DRAFT, { text: "", attachments: [] });
      wishFocus(id);
      navigate(threadPath(id));
    });
  };
  return { ...attempt, start };
}
