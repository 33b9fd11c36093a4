// The dialects of the recorded payloads.

import { scaleRunCount } from "../support/property-run-count.ts";
export const RECORDED_DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock"] as const;
/** Dialects with recorded error bodies. */
export const RECORDED_ERRORS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Mutants per payload: over hundreds of payloads, they reach every field. */
export const MUTANTS = scaleRunCount(150);
