// The dialects that the recorded payloads are of.

import { tries } from "../support/tries.ts";
export const RECORDED = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock"] as const;
/** Those whose error bodies were recorded, too. */
export const RECORDED_ERRORS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Mutants of each payload that are tried: enough, over hundreds of payloads, to meet every field in every way. */
export const MUTANTS = tries(150);
