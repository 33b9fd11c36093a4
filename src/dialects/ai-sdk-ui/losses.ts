// Declares the loss codes of encoding into AI SDK UI messages: the shared codes that can occur, and the codes that only
// this dialect has.
import type { EncodeContext } from "../dialect.ts";
import { AI_SDK_LOSS_CODES, createFieldReporter } from "../ai-sdk/losses.ts";
import { ANSWER_LOSSES } from "../kit/losses/answer-catalog.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const UI_MESSAGE_LOSSES = {
  ...pickLosses(ANSWER_LOSSES, [
    ...AI_SDK_LOSS_CODES,
    "message-unsupported",
    "raw-finish-reason-dropped",
    "result-tool-name-dropped",
    "text-as-data",
    "turns-merged",
  ]),
  "id-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} requires an id on every message; an id was created.",
  },
  "metadata-merged": {
    action: "moved",
    level: "note",
    message: "{target} has one metadata object for all steps of a message; the metadata was merged.",
  },
  "call-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} stores a result in its call, and this result has no call; a call without arguments was added.",
  },
  "result-merged-into-call": {
    action: "moved",
    level: "note",
    message: "{target} stores a result in its call; this result was moved there.",
  },
  // In a request for a provider, a repair removes the second result of a call. UI messages are not repaired, so the
  // dropped second result has a loss code of its own.
  "result-duplicate": {
    action: "dropped",
    level: "loss",
    message: "{target} has one result per call; this later result was dropped.",
  },
  // Model messages and UI messages have different texts for this code: model messages derive the executor from the role
  // of the message, UI messages from the call.
  "result-executor-approximated": {
    action: "approximated",
    level: "note",
    message:
      "{target} has the executor of a tool only on the call; this result will be decoded with the executor of its call.",
  },
} as const satisfies LossTable;

export type UiEncodeContext = EncodeContext<keyof typeof UI_MESSAGE_LOSSES>;

/** Reports the residue of other dialects, and every field of a message or part that is not in `supported`. */
export const reportUnsupportedUiFields = createFieldReporter({ size: "metadata-dropped" });
