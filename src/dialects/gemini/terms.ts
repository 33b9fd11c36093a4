// Defines tables that map canonical values to Gemini's values (finish reasons, thinking levels), patterns of model
// generations, and the rule for tool names.
import type { UnifiedFinishReason } from "../../model/finish-reason.ts";
import type { NameRule } from "../kit/tools/tool-renames.ts";
import { ValueMap } from "../kit/fields/value-map.ts";

export const FINISH_REASONS = new ValueMap<UnifiedFinishReason, string>([
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

export const THINKING_LEVELS = new ValueMap<string, "MINIMAL" | "LOW" | "MEDIUM" | "HIGH">([
  ["minimal", "MINIMAL"],
  ["low", "LOW"],
  ["medium", "MEDIUM"],
  ["high", "HIGH"],
  ["xhigh", "HIGH"],
  ["max", "HIGH"],
]);

/**
 * The thinking budget for each level, for models without thinking levels. Google's OpenAI-compatible endpoint uses the
 * same budgets.
 */
export const LEVEL_BUDGETS: Readonly<Record<string, number>> = { MINIMAL: 1024, LOW: 1024, MEDIUM: 8192, HIGH: 24576 };

/** Models of generations 1 and 2. They have no thinking levels and accept no media in function responses. */
export const MODEL_BEFORE_3 = /gemini-[12]\b/;
/** Models from generation 3 on. They reject a function call of the current turn that has no thought signature. */
export const MODEL_FROM_3 = /gemini-(?:[3-9]|\d\d)/;
/** The signature that Google documents for function calls that another model made (B10). */
export const SIGNATURE_PLACEHOLDER = "skip_thought_signature_validator";

export const TOOL_NAME_RULE: NameRule = {
  accepted: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  invalidCharacters: /[^a-zA-Z0-9_.:-]/g,
  maxLength: 128,
  prefix: "_",
};
