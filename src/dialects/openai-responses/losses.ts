// Losses of encoding into OpenAI Responses: the codes of the catalog that can occur, and those that only this dialect has.
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
      "{target} rejects reasoning without the item that followed it, and reasoning by an id that is not stored; it was dropped.",
  },
  "output-wrapped": {
    action: "approximated",
    level: "note",
    message: "This tool has its own format of output in {target}; the text was wrapped in it.",
  },
  "default-omitted": {
    action: "dropped",
    level: "note",
    message: "This value is the default of {target}; it was not written.",
  },
} as const satisfies LossTable;

export type ResponsesLossCode = keyof typeof RESPONSES_LOSSES;
