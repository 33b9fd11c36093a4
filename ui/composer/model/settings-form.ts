// Defines the form for sampling and reasoning settings, and converts it to request settings. Empty fields are not sent.
import type { AnswerSettings } from "../../data/types.ts";

/** Texts of the form fields; "" for a field that is not set. */
export interface SettingsForm {
  temperature: string;
  maxOutputTokens: string;
  effort: string;
}

/** The user's choices for a new conversation. */
export interface NewConversationOptions {
  kind: "chat" | "task";
  /** Model id; undefined for the default model. */
  model: string | undefined;
  instructions: string;
  settings: SettingsForm;
  approval: "ask" | "never";
}

export const NO_SETTINGS: SettingsForm = { temperature: "", maxOutputTokens: "", effort: "" };

/** Reasoning efforts that most vendors accept. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high"] as const;

export type RequestSettings = NonNullable<AnswerSettings["settings"]>;

/** Converts the form to request settings; undefined if no field has a valid value. */
export function parseSettings({ temperature, maxOutputTokens, effort }: SettingsForm): RequestSettings | undefined {
  const sampling: NonNullable<RequestSettings["sampling"]> = {};
  if (isNumber(temperature)) sampling.temperature = Number(temperature);
  if (isNumber(maxOutputTokens)) sampling.maxOutputTokens = Number(maxOutputTokens);
  const settings: RequestSettings = {};
  if (Object.keys(sampling).length > 0) settings.sampling = sampling;
  if (effort !== "") settings.reasoning = { effort };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** Returns an error message for each invalid field; an empty object if all fields are valid. */
export function validateSettings({ temperature, maxOutputTokens }: SettingsForm): Partial<SettingsForm> {
  const errors: Partial<SettingsForm> = {};
  if (temperature.trim() !== "" && !(isNumber(temperature) && Number(temperature) >= 0)) {
    errors.temperature = "Enter a number of at least 0, such as 0.7.";
  }
  if (maxOutputTokens.trim() !== "" && !(isNumber(maxOutputTokens) && /^\s*[1-9]\d*\s*$/.test(maxOutputTokens))) {
    errors.maxOutputTokens = "Enter a whole number of at least 1.";
  }
  return errors;
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}
