// Gemini's words and the model's, and what Gemini takes for a name.
import type { UnifiedFinishReason } from "../../model/finish.ts";
import type { NameRule } from "../kit/names.ts";
import { Terms } from "../kit/terms.ts";

export const FINISH = new Terms<UnifiedFinishReason, string>([
  ["stop", "STOP"],
  ["tool-calls", "STOP"],
  ["length", "MAX_TOKENS"],
  ["content-filter", "SAFETY"],
  ["refusal", "SAFETY"],
  ["pause", "CONTINUATION"],
  ["other", "OTHER"],
  ["error", "OTHER"],
  ["content-filter", "RECITATION"],
  ["content-filter", "BLOCKLIST"],
  ["content-filter", "PROHIBITED_CONTENT"],
  ["content-filter", "SPII"],
  ["content-filter", "IMAGE_SAFETY"],
  ["content-filter", "IMAGE_PROHIBITED_CONTENT"],
  ["content-filter", "IMAGE_RECITATION"],
  ["error", "MALFORMED_FUNCTION_CALL"],
  ["error", "UNEXPECTED_TOOL_CALL"],
  ["error", "TOO_MANY_TOOL_CALLS"],
  ["other", "LANGUAGE"],
  ["other", "NO_IMAGE"],
  ["other", "IMAGE_OTHER"],
  ["other", "FINISH_REASON_UNSPECIFIED"],
]);

export const LEVELS = new Terms<string, "MINIMAL" | "LOW" | "MEDIUM" | "HIGH">([
  ["minimal", "MINIMAL"],
  ["low", "LOW"],
  ["medium", "MEDIUM"],
  ["high", "HIGH"],
  ["xhigh", "HIGH"],
  ["max", "HIGH"],
]);

/** What Google's own bridge from efforts asks of models that have budgets only. */
export const BUDGETS: Readonly<Record<string, number>> = { MINIMAL: 1024, LOW: 1024, MEDIUM: 8192, HIGH: 24576 };

/** Models before thinking levels, and before media in function responses. */
export const OLD_MODEL = /gemini-[12]\b/;
/** Models that refuse a function call of the current turn without its signature. */
export const SIGNING_MODEL = /gemini-(?:[3-9]|\d\d)/;
/** What they take for a signature of calls that another model made (B10). */
export const SENTINEL = "skip_thought_signature_validator";

export const TOOL_NAME: NameRule = {
  fits: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  odd: /[^a-zA-Z0-9_.:-]/g,
  max: 128,
  prefix: "_",
};
