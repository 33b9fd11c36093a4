// Everything that can go missing on the way into the run shape.
import type { EncodeContext } from "../dialect.ts";
import {
  bookkeeping,
  callInvalid,
  fieldUnsaid,
  formStale,
  mediaAsFile,
  mediaElsewhere,
  outputInContent,
  partUnsayable,
  providerTool,
  refusalAsText,
  residueClash,
  resultEmpty,
  roleApproximated,
  toolDefault,
  toolName,
} from "../kit/losses.ts";
import type { LossDeclaration } from "../kit/report.ts";
import { NOT_PORTABLE_LOSSES } from "../kit/residue.ts";

export const RUN_LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  ...roleApproximated,
  ...refusalAsText,
  ...mediaAsFile,
  ...mediaElsewhere,
  ...partUnsayable,
  ...providerTool,
  ...fieldUnsaid,
  ...toolDefault,
  ...bookkeeping,
  ...callInvalid,
  ...toolName,
  ...outputInContent,
  ...resultEmpty,
  ...formStale,
  ...residueClash,
  "output-reads-as-parts": {
    action: "approximated",
    level: "note",
    message: "This output looks like a list of parts and will be read as one.",
  },
  "run-id-synthesized": {
    action: "synthesized",
    level: "note",
    message: "No run is known; set metadata.runId, or pass `runId`.",
  },
  "timestamp-synthesized": {
    action: "synthesized",
    level: "note",
    message: "No time is known; set metadata.timestamp, or pass `clock`.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type RunLoss = keyof typeof RUN_LOSSES;
export type RunEncodeContext = EncodeContext<RunLoss>;
