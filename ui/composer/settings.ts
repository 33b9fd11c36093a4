// How a model is asked, as a form holds it and as a request says it. What nobody filled in is not said.
import type { AskSettings } from "../data/types.ts";

/** The texts of the fields. */
export interface SettingsForm {
  temperature: string;
  maxOutputTokens: string;
  effort: string;
}

/** What is chosen before the first words are sent. */
export interface Options {
  kind: "chat" | "task";
  /** undefined: the one that was used last. */
  model: string | undefined;
  instructions: string;
  settings: SettingsForm;
  approval: "ask" | "never";
}

export const NO_SETTINGS: SettingsForm = { temperature: "", maxOutputTokens: "", effort: "" };

/** Vendors keep adding words; these are those that most of them know. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high"] as const;

export type Settings = NonNullable<AskSettings["settings"]>;

/** undefined where nothing is set. */
export function settingsOf({ temperature, maxOutputTokens, effort }: SettingsForm): Settings | undefined {
  const sampling: NonNullable<Settings["sampling"]> = {};
  if (isNumber(temperature)) sampling.temperature = Number(temperature);
  if (isNumber(maxOutputTokens)) sampling.maxOutputTokens = Number(maxOutputTokens);
  const settings: Settings = {};
  if (Object.keys(sampling).length > 0) settings.sampling = sampling;
  if (effort !== "") settings.reasoning = { effort };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** What is wrong with a form, by field. */
export function mistakesIn({ temperature, maxOutputTokens }: SettingsForm): Partial<SettingsForm> {
  const mistakes: Partial<SettingsForm> = {};
  if (temperature.trim() !== "" && !(isNumber(temperature) && Number(temperature) >= 0)) {
    mistakes.temperature = "A number from 0 on, such as 0.7.";
  }
  if (maxOutputTokens.trim() !== "" && !(isNumber(maxOutputTokens) && /^\s*[1-9]\d*\s*$/.test(maxOutputTokens))) {
    mistakes.maxOutputTokens = "A whole number from 1 on.";
  }
  return mistakes;
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}
