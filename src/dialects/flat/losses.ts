// What encoding into the flat shape can lose.
import type { EncodeContext } from "../dialect.ts";
import {
  bookkeeping,
  callInvalid,
  fieldUnsaid,
  formStale,
  mediaAsFile,
  mediaElsewhere,
  opaqueForeign,
  outputAsText,
  outputInContent,
  partUnsayable,
  providerTool,
  residueClash,
  resultEmpty,
  roleApproximated,
  textAsData,
  toolDefault,
} from "../kit/losses.ts";
import type { LossDeclaration } from "../kit/report.ts";
import { NOT_PORTABLE_LOSSES } from "../kit/residue.ts";

export const LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  ...opaqueForeign,
  ...formStale,
  ...residueClash,
  ...bookkeeping,
  ...fieldUnsaid,
  ...partUnsayable,
  ...mediaAsFile,
  ...mediaElsewhere,
  ...textAsData,
  ...providerTool,
  ...toolDefault,
  ...callInvalid,
  ...outputAsText,
  ...outputInContent,
  ...resultEmpty,
  ...roleApproximated,
  order: {
    action: "approximated",
    level: "loss",
    message: "It came after parts that stand after it here: reasoning, content, refusal, calls.",
  },
  "message-split": {
    action: "moved",
    level: "note",
    message: "A tool message is one result, so there are several messages now.",
  },
  "thinking-blocks-stale": {
    action: "dropped",
    level: "loss",
    message: "These thinking blocks are not what `reasoning` says.",
  },
  "thought-signatures-stale": {
    action: "dropped",
    level: "loss",
    message: "These thought signatures belong to no part.",
  },
  "summary-as-text": {
    action: "approximated",
    level: "loss",
    message: "The summary was written as reasoning.",
  },
  "error-flag": {
    action: "dropped",
    level: "loss",
    message: "Nothing says that a result is an error; say so in its text.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type FlatLoss = keyof typeof LOSSES;
export type FlatContext = EncodeContext<FlatLoss>;
