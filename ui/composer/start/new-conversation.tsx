// Shows the form that starts a chat or a task: kind, model, options and the first message.
import { useAttempt } from "../../kit/index.ts";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type Message, sameJson } from "koine";
import { useLocation } from "wouter";
import { useApi, useModels } from "../../data/hooks.ts";
import { threadPath } from "../../routes.ts";
import { EMPTY_DRAFT, toMessage } from "../draft/attachments.ts";
import { ComposerBox } from "../composer-box.tsx";
import { DemoExamples } from "./demo-examples.tsx";
import { drafts } from "../draft/drafts.ts";
import { requestFocus } from "./pending-focus.ts";
import { DEMO_MODEL } from "../../data/model-store.ts";
import { chooseDefaultModel, storeLastModel } from "../model/model-choice.ts";
import { ModelPicker } from "../model/model-picker.tsx";
import styles from "./new-conversation.module.css";
import { ChatOptions, TaskOptions } from "./new-options.tsx";
import { Segmented } from "../segmented.tsx";
import { SendButton } from "../send-buttons.tsx";
import { validateSettings, NO_SETTINGS, type NewConversationOptions, parseSettings } from "../model/settings-form.ts";
import { tabStorage } from "../draft/tab-storage.ts";
import { pendingStarts, startConversation, type ConversationSpec } from "./start-conversation.ts";
import { useDraft } from "../draft/use-draft.ts";

const DRAFT_KEY = "new";

const DEFAULT_OPTIONS: NewConversationOptions = {
  kind: "chat",
  model: undefined,
  instructions: "",
  settings: NO_SETTINGS,
  approval: "ask",
};

export function NewConversation() {
  const editor = useDraft(DRAFT_KEY);
  const models = useModels();
  const [options, change] = useStoredOptions();
  const field = useAutoFocus();
  const model = options.model ?? chooseDefaultModel(models);
  const { error, busy, start } = useStart(options, model);
  const isTask = options.kind === "task";
  // An empty name means that the user has emptied the field; this restores the default model.
  const pick = (chosen: string): void => change({ model: chosen === "" ? undefined : chosen });
  return (
    <div className={styles["new"]}>
      <div className={styles["head"]}>
        <Segmented label="Kind" value={options.kind} options={KINDS} onChange={(kind) => change({ kind })} />
        <ModelPicker label="Model" value={model} models={models} onChange={pick} />
      </div>
      <p className={styles["about"]}>{KIND_DESCRIPTIONS[options.kind]}</p>
      {isTask ? (
        <TaskOptions options={options} model={model} onChange={change} />
      ) : (
        <ChatOptions options={options} onChange={change} />
      )}
      <ComposerBox
        editor={editor}
        field={field}
        large
        label="First message"
        placeholder={isTask ? "Describe the task" : "Write a message"}
        onSubmit={() => void (!editor.isBlank && !busy && start(toMessage(drafts.get(DRAFT_KEY))))}
        error={error}
        buttons={<SendButton disabled={editor.isBlank} busy={busy} />}
      />
      {model === DEMO_MODEL && (
        <DemoExamples
          kind={options.kind}
          onPick={(text) => {
            editor.setText(text);
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

const KIND_DESCRIPTIONS: Record<NewConversationOptions["kind"], string> = {
  chat: "You send messages, the model answers. Each later answer can come from another model.",
  task: "An agent works on its own: it runs tools, accepts messages meanwhile, and continues after a restart.",
};

/** Focuses the field on devices with a mouse; on touch devices this would open the on-screen keyboard. */
function useAutoFocus() {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  return field;
}

/** Returns the user's choices, which survive navigation and a reload, and a function that changes them. */
function useStoredOptions(): [NewConversationOptions, (changes: Partial<NewConversationOptions>) => void] {
  // The cast is safe, because only `change` (below) writes the entry `OPTIONS_KEY`.
  const [options, setOptions] = useState(
    () => (tabStorage.get(OPTIONS_KEY) as NewConversationOptions | undefined) ?? DEFAULT_OPTIONS,
  );
  const change = (changes: Partial<NewConversationOptions>): void => {
    const next = { ...options, ...changes };
    tabStorage.set(OPTIONS_KEY, next);
    setOptions(next);
  };
  return [options, change];
}

const OPTIONS_KEY = "new-options";

function useStart(options: NewConversationOptions, model: string) {
  const api = useApi();
  const [, navigate] = useLocation();
  const attempt = useAttempt();
  const startAndOpen = async (spec: ConversationSpec): Promise<void> => {
    await attempt.run(async () => {
      const id = await startConversation(api, spec);
      storeLastModel(spec.model);
      // If the user has typed since the message was sent, the draft differs from that message and is not cleared.
      drafts.change(DRAFT_KEY, (draft) => (sameJson(toMessage(draft), spec.message) ? EMPTY_DRAFT : draft));
      tabStorage.set(OPTIONS_KEY, undefined);
      requestFocus(id);
      navigate(threadPath(id));
    });
  };
  // If the page was closed while a conversation was being started, continues that start with the same ids, so that the
  // server creates nothing twice.
  const resumePending = useEffectEvent(() => {
    const pending = pendingStarts.get();
    if (pending?.stage === "left") void startAndOpen(pending.spec);
  });
  useEffect(() => resumePending(), []);
  const startWith = async (message: Message): Promise<void> => {
    const { kind, instructions, approval } = options;
    if (kind === "chat" && Object.keys(validateSettings(options.settings)).length > 0) return;
    const settings = parseSettings(options.settings);
    await startAndOpen({ kind, model, message, instructions, approval, ...(settings && { settings }) });
  };
  return { ...attempt, start: startWith };
}
