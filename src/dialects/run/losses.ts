// Declares the losses of encoding into the run dialect: the shared codes that can occur, and the codes that only this
// dialect has.
import type { EncodeContext } from "../dialect.ts";
import { COMMON_LOSSES, pickLosses } from "../kit/losses/catalog.ts";
import { INTERCHANGE_LOSS_CODES } from "../kit/losses/interchange-codes.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const RUN_LOSSES = {
  ...pickLosses(COMMON_LOSSES, [
    ...INTERCHANGE_LOSS_CODES,
    "output-in-content",
    "refusal-as-text",
    "result-tool-name-dropped",
    "tool-default-omitted",
  ]),
  "output-reads-as-parts": {
    action: "approximated",
    level: "note",
    message: "This output has the shape of a list of parts, so a decoder of {target} will read it as parts.",
  },
  "run-id-synthesized": {
    action: "synthesized",
    level: "note",
    message: "The message has no `runId`; an empty `runId` was written. Set metadata.runId, or pass `runId`.",
  },
  "timestamp-synthesized": {
    action: "synthesized",
    level: "note",
    message: "The message has no time; 1970-01-01 was written. Set metadata.timestamp, or pass `clock`.",
  },
} as const satisfies LossTable;

export type RunLossCode = keyof typeof RUN_LOSSES;
export type RunEncodeContext = EncodeContext<RunLossCode>;
