// Declares the loss codes of encoding into AI SDK model messages: the shared codes that can occur, and the codes that
// only this dialect has.
import type { EncodeContext } from "../dialect.ts";
import { AI_SDK_LOSS_CODES, createFieldReporter } from "../ai-sdk/losses.ts";
import { ANSWER_LOSSES } from "../kit/losses/answer-catalog.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const MODEL_MESSAGE_LOSSES = {
  ...pickLosses(ANSWER_LOSSES, [...AI_SDK_LOSS_CODES, "error-flag-unsupported", "provider-tool-unsupported"]),
  "system-split": {
    action: "moved",
    level: "note",
    message: "A system message of {target} is one text; each part was written as a message of its own.",
  },
  "approval-response-moved": {
    action: "moved",
    level: "note",
    message: "{target} expects approval responses in tool messages; this one was moved to a tool message.",
  },
  // Model messages and UI messages have different texts for this code: model messages derive the executor from the role
  // of the message, UI messages from the call.
  "result-executor-approximated": {
    action: "approximated",
    level: "note",
    message:
      "{target} has the executor of a tool only as the role of the message; this result will be decoded with the executor of its role.",
  },
} as const satisfies LossTable;

export type ModelMessageEncodeContext = EncodeContext<keyof typeof MODEL_MESSAGE_LOSSES>;

/** Reports the residue of other dialects, and every field of a message or part that is not in `supported`. */
export const reportUnsupportedModelFields = createFieldReporter({ invalid: "invalid-call-unsupported" });
