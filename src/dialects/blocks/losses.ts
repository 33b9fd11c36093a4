// Declares the codes of the losses that both block dialects, Anthropic Messages and Bedrock Converse, can cause.
import type { PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import { PROVIDER_LOSS_CODES } from "../kit/losses/provider-catalog.ts";

export const BLOCK_LOSS_CODES = [
  ...PROVIDER_LOSS_CODES,
  "annotation-unsupported",
  "approval-not-portable",
  "arguments-wrapped",
  "cache-breakpoint-limit",
  "call-id-renamed",
  "developer-as-system",
  "failure-unsupported",
  "invalid-call-unsupported",
  "media-converted",
  "media-format-unsupported",
  "message-unsupported",
  "mime-type-corrected",
  "output-in-content",
  "refusal-as-text",
  "result-tool-name-dropped",
  "role-approximated",
  "schema-changed",
  "schema-synthesized",
  "setting-approximated",
  "summary-as-text",
  "text-blank",
  "text-trimmed",
  "tool-choice-approximated",
  "tool-choice-dropped",
  "tool-choice-incompatible",
  "tool-not-portable",
  "turns-merged",
  "usage-inconsistent",
  "usage-synthesized",
  "user-turn-synthesized",
] as const satisfies readonly (keyof typeof PROVIDER_LOSSES)[];

/** The code of a loss that both block dialects can cause. */
export type BlockLoss = (typeof BLOCK_LOSS_CODES)[number];
