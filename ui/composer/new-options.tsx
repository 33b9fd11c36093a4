// What can be said before a conversation begins: folded away, because most need none of it.
import { useId } from "react";
import { Disclosure } from "../kit/index.ts";
import { DEMO } from "../data/models.ts";
import styles from "./new-conversation.module.css";
import { Segmented } from "./segmented.tsx";
import { EFFORTS, mistakesIn, type Options, type SettingsForm } from "./settings.ts";

interface OptionsProps {
  options: Options;
  onChange: (changes: Partial<Options>) => void;
}

export function ChatOptions({ options, onChange }: OptionsProps) {
  const { instructions, settings } = options;
  const set = Object.values(settings).filter((value) => value.trim() !== "").length;
  return (
    <>
      <Disclosure summary={instructions.trim() === "" ? "System prompt" : "System prompt (set)"}>
        <textarea
          className={styles["instructions"]}
          aria-label="System prompt"
          placeholder="What the model is told before anything else"
          rows={3}
          value={instructions}
          onChange={(event) => onChange({ instructions: event.target.value })}
        />
      </Disclosure>
      <Disclosure summary={set === 0 ? "Settings" : `Settings (${set} set)`}>
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
  const mistakes = mistakesIn(settings);
  const field = (name: "temperature" | "maxOutputTokens") => ({
    value: settings[name],
    mistake: mistakes[name],
    onChange: (value: string) => onChange({ ...settings, [name]: value }),
  });
  return (
    <div className={styles["settings"]}>
      <NumberField label="Temperature" {...field("temperature")} />
      <NumberField label="Most output tokens" {...field("maxOutputTokens")} />
      <label>
        <span>Reasoning effort</span>
        <select value={settings.effort} onChange={(event) => onChange({ ...settings, effort: event.target.value })}>
          <option value="">As the model likes</option>
          {EFFORTS.map((effort) => (
            <option key={effort}>{effort}</option>
          ))}
        </select>
      </label>
      <p className={styles["about"]}>What is left empty is not sent. What is set holds for the whole conversation.</p>
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  value: string;
  mistake: string | undefined;
  onChange: (value: string) => void;
}

function NumberField({ label, value, mistake, onChange }: NumberFieldProps) {
  const id = useId();
  return (
    <label>
      <span>{label}</span>
      <input
        inputMode="decimal"
        placeholder="As the model likes"
        value={value}
        aria-invalid={mistake !== undefined}
        aria-describedby={mistake === undefined ? undefined : id}
        onChange={(event) => onChange(event.target.value)}
      />
      {mistake !== undefined && (
        <span id={id} className={styles["mistake"]}>
          {mistake}
        </span>
      )}
    </label>
  );
}

const APPROVALS = [
  { value: "ask", label: "Ask me first" },
  { value: "never", label: "Run without asking" },
] as const;

export function TaskOptions({ options, model, onChange }: OptionsProps & { model: string }) {
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
        Its tools are those of the MCP servers in the server’s configuration (<code>tasks.mcpServers</code>); out of the
        box there are none{model === DEMO ? ", so demo/koine can only talk" : ""}. Instructions come from there, too,
        and a task keeps its model.
      </p>
    </div>
  );
}
