// Losses of encoding into OpenAI Responses: the codes of the catalog that can occur, and those that only this dialect has.
import { pickLosses } from "../kit/losses/catalog.ts";
import { PROVIDER_LOSS_CODES, PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const RESPONSES_LOSSES = {
  ...pickLosses(PROVIDER_LOSSES, [
    ...PROVIDER_LOSS_CODES,
    "call-id-renamed",
    "error-flag-unsupported",
    "field-synthesized",
    "message-unsupported",
    "metadata-invalid",
    "output-in-content",
    "refusal-as-text",
    "result-empty",
    "result-tool-name-dropped",
    "role-approximated",
    "strict-disabled",
    "system-joined",
    "text-as-data",
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
