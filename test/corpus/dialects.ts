// The dialects that the recorded payloads are of.

import { scaleRunCount } from "../support/property-run-count.ts";
export const RECORDED_DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock"] as const;
/** Those whose error bodies were recorded, too. */
export const RECORDED_ERRORS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Mutants of each payload that are tried: enough, over hundreds of payloads, to meet every field in every way. */
export const MUTANTS = scaleRunCount(150);
