// Declares the losses of encoding into OpenAI Responses: the codes of the catalog that can occur, and the codes that
// only this dialect has.
import { OPENAI_LOSS_CODES } from "../openai/losses.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import { PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const RESPONSES_LOSSES = {
  ...pickLosses(PROVIDER_LOSSES, [
    ...OPENAI_LOSS_CODES,
    "message-unsupported",
    "refusal-as-text",
    "system-joined",
    "turns-merged",
  ]),
  "reasoning-unpaired": {
    action: "repaired",
    level: "loss",
    message:
      "{target} rejects reasoning whose following item is missing, and reasoning that is sent by an id that {target} has not stored; this reasoning was dropped.",
  },
  "output-wrapped": {
    action: "approximated",
    level: "note",
    message: "{target} requires structured output for this tool; the text was wrapped in that structure.",
  },
  "default-omitted": {
    action: "dropped",
    level: "note",
    message: "This value is the default of {target}; it was not written.",
  },
} as const satisfies LossTable;

export type ResponsesLossCode = keyof typeof RESPONSES_LOSSES;
