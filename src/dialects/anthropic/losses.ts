// Declares the losses of the Anthropic encoder: losses of the shared catalog, and losses that only this dialect has.
import { BLOCK_LOSS_CODES } from "../blocks/losses.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import { PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const ANTHROPIC_LOSSES = {
  ...pickLosses(PROVIDER_LOSSES, [
    ...BLOCK_LOSS_CODES,
    "effort-as-budget",
    "error-flag-unsupported",
    "strict-disabled",
    "system-joined",
  ]),
  "sampling-adjusted": {
    action: "repaired",
    level: "loss",
    message: "{target} rejects this value, or rejects it while the model thinks; it was dropped or set to its limit.",
  },
  "budget-adjusted": {
    action: "repaired",
    level: "note",
    message:
      "{target} requires a thinking budget of at least 1024 tokens and below the maximum output; it was adjusted.",
  },
  "reasoning-disabled": {
    action: "repaired",
    level: "loss",
    message:
      "Thinking was disabled: the model has none, a tool is forced, the maximum output is too small, or the last assistant message has calls without signed thinking.",
  },
  "max-tokens-default": {
    action: "synthesized",
    level: "note",
    message: "{target} requires a maximum number of output tokens; a default was sent.",
  },
} as const satisfies LossTable;

export type AnthropicLoss = keyof typeof ANTHROPIC_LOSSES;
