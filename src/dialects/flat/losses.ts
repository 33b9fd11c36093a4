// Declares the losses of encoding into flat messages: the shared codes that can occur, and the codes that only this
// dialect has.
import type { EncodeContext } from "../dialect.ts";
import { COMMON_LOSSES, pickLosses } from "../kit/losses/catalog.ts";
import { INTERCHANGE_LOSS_CODES } from "../kit/losses/interchange-codes.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const FLAT_LOSSES = {
  ...pickLosses(COMMON_LOSSES, [
    ...INTERCHANGE_LOSS_CODES,
    "error-flag-unsupported",
    "opaque-not-portable",
    "output-as-text",
    "output-in-content",
    "summary-as-text",
    "text-as-data",
    "tool-default-omitted",
  ]),
  // The action is not "repaired", because a repair makes a request acceptable to a provider. Here the fixed order of
  // the fields changes the order of the parts.
  "parts-reordered": {
    action: "approximated",
    level: "loss",
    message:
      "{target} has one field each for reasoning, content, refusal and calls; this part was moved before parts that it followed.",
  },
  "message-split": {
    action: "moved",
    level: "note",
    message: "A tool message of {target} holds one result; this message was split.",
  },
  "thinking-blocks-stale": {
    action: "dropped",
    level: "loss",
    message: "These thinking blocks contradict the text in `reasoning`; they were dropped.",
  },
  "thought-signatures-stale": {
    action: "dropped",
    level: "loss",
    message: "These thought signatures belong to no part; they were dropped.",
  },
} as const satisfies LossTable;

export type FlatEncodeContext = EncodeContext<keyof typeof FLAT_LOSSES>;
