// Defines the loss codes of the Gemini encoder: codes of the shared catalog, and codes that only this dialect has.
import { pickLosses } from "../kit/losses/catalog.ts";
import { PROVIDER_LOSS_CODES, PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const GEMINI_LOSSES = {
  ...pickLosses(PROVIDER_LOSSES, [
    ...PROVIDER_LOSS_CODES,
    "approval-not-portable",
    "arguments-wrapped",
    "developer-as-system",
    "effort-as-budget",
    "invalid-call-unsupported",
    "media-kind-changed",
    "media-moved",
    "mime-type-guessed",
    "refusal-as-text",
    "result-empty",
    "result-text-joined",
    "schema-changed",
    "schema-synthesized",
    "setting-approximated",
    "stop-sequence-limit",
    "system-joined",
    "text-as-data",
    "texts-joined",
    "tool-choice-dropped",
    "turns-merged",
    "user-turn-synthesized",
  ]),
  "system-moved": {
    action: "moved",
    level: "loss",
    message: "{target} accepts system text only at the beginning; this text was moved there.",
  },
  "signature-placeholder": {
    action: "synthesized",
    level: "note",
    message: "The model requires a thought signature on calls that it did not make; Google's placeholder was written.",
  },
  "summary-as-thought": {
    action: "approximated",
    level: "note",
    message: "{target} has thoughts but no summaries of them; the summary was written as the thought.",
  },
  "url-as-data": {
    action: "approximated",
    level: "note",
    message: "{target} does not accept data URLs; the data was written inline.",
  },
  "mime-type-from-url": {
    action: "synthesized",
    level: "note",
    message:
      "{target} derives the kind of media from the MIME type; the MIME type was derived from the ending of the URL.",
  },
  "logprobs-enabled": {
    action: "synthesized",
    level: "note",
    message: "{target} returns the top tokens only with log probabilities; those were requested too.",
  },
  "parameters-empty": {
    action: "repaired",
    level: "note",
    message: "{target} rejects an object schema without properties; the schema was left out, which means the same.",
  },
} as const satisfies LossTable;

export type GeminiLossCode = keyof typeof GEMINI_LOSSES;
