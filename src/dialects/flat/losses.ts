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
import { FOREIGN_LOSSES } from "../kit/residue.ts";

export const LOSSES = {
  ...FOREIGN_LOSSES,
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
    says: "It came after parts that stand after it here: reasoning, content, refusal, calls.",
  },
  "message-split": {
    action: "moved",
    level: "note",
    says: "A tool message is one result, so there are several messages now.",
  },
  "thinking-blocks-stale": {
    action: "dropped",
    level: "loss",
    says: "These thinking blocks are not what `reasoning` says.",
  },
  "thought-signatures-stale": {
    action: "dropped",
    level: "loss",
    says: "These thought signatures belong to no part.",
  },
  "summary-as-text": {
    action: "approximated",
    level: "loss",
    says: "The summary was written as reasoning.",
  },
  "error-flag": {
    action: "dropped",
    level: "loss",
    says: "Nothing says that a result is an error; say so in its text.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type FlatLoss = keyof typeof LOSSES;
export type FlatContext = EncodeContext<FlatLoss>;
