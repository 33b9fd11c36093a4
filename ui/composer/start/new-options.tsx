// Shows the optional settings of a new conversation, collapsed by default.
import { useId } from "react";
import { Disclosure } from "../../kit/index.ts";
import { DEMO_MODEL } from "../../data/model-store.ts";
import styles from "./new-conversation.module.css";
import { Segmented } from "../segmented.tsx";
import { EFFORTS, validateSettings, type NewConversationOptions, type SettingsForm } from "../model/settings-form.ts";

interface NewOptionsProps {
  options: NewConversationOptions;
  onChange: (changes: Partial<NewConversationOptions>) => void;
}

export function ChatOptions({ options, onChange }: NewOptionsProps) {
  const { instructions, settings } = options;
  const setCount = Object.values(settings).filter((value) => value.trim() !== "").length;
  return (
    <>
      <Disclosure summary={instructions.trim() === "" ? "System prompt" : "System prompt (set)"}>
        <textarea
          className={styles["instructions"]}
          aria-label="System prompt"
          placeholder="Instructions for the model"
          rows={3}
          value={instructions}
          onChange={(event) => onChange({ instructions: event.target.value })}
        />
      </Disclosure>
      <Disclosure summary={setCount === 0 ? "Settings" : `Settings (${setCount} set)`}>
        <SettingsFields settings={settings} onChange={(changed) => onChange({ settings: changed })} />
      </Disclosure>
    </>
  );
}

interface SettingsFieldsProps {
  settings: SettingsForm;
  onChange: (settings: SettingsForm) => void;
}

function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
  const errors = validateSettings(settings);
  const field = (name: "temperature" | "maxOutputTokens") => ({
    value: settings[name],
    error: errors[name],
    onChange: (value: string) => onChange({ ...settings, [name]: value }),
  });
  return (
    <div className={styles["settings"]}>
      <NumberField label="Temperature" {...field("temperature")} />
      <NumberField label="Maximum output tokens" {...field("maxOutputTokens")} />
      <label>
        <span>Reasoning effort</span>
        <select value={settings.effort} onChange={(event) => onChange({ ...settings, effort: event.target.value })}>
          <option value="">Model default</option>
          {EFFORTS.map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </select>
      </label>
      <p className={styles["about"]}>Empty fields are not sent. The settings apply to the whole conversation.</p>
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function NumberField({ label, value, error, onChange }: NumberFieldProps) {
  const id = useId();
  return (
    <label>
      <span>{label}</span>
      <input
        inputMode="decimal"
        placeholder="Model default"
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : id}
        onChange={(event) => onChange(event.target.value)}
      />
      {error !== undefined && (
        <span id={id} className={styles["mistake"]}>
          {error}
        </span>
      )}
    </label>
  );
}

const APPROVALS = [
  { value: "ask", label: "Ask me first" },
  { value: "never", label: "Run without asking" },
] as const;

export function TaskOptions({ options, model, onChange }: NewOptionsProps & { model: string }) {
  return (
    <div className={styles["approval"]}>
      <span className={styles["about"]}>When it wants to run a tool:</span>
      <Segmented
        label="When it wants to run a tool"
        value={options.approval}
        options={APPROVALS}
        onChange={(approval) => onChange({ approval })}
      />
      <p className={styles["about"]}>
        Its tools come from the MCP servers in the server’s configuration (<code>tasks.mcpServers</code>); by default
        there are none{model === DEMO_MODEL ? ", so demo/koine can only answer in text" : ""}. Its instructions come
        from the configuration, too, and a task keeps its model.
      </p>
    </div>
  );
}
