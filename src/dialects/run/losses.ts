// Losses of encoding into the run shape: the codes of the catalog that can occur, and those that only this dialect has.
import type { EncodeContext } from "../dialect.ts";
import { COMMON_LOSSES, pickLosses } from "../kit/losses/catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const RUN_LOSSES = {
  ...pickLosses(COMMON_LOSSES, [
    "field-unsupported",
    "form-not-portable",
    "form-stale",
    "invalid-call-unsupported",
    "media-as-file",
    "media-source-unsupported",
    "metadata-dropped",
    "output-in-content",
    "part-unsupported",
    "provider-tool-unsupported",
    "refusal-as-text",
    "residue-conflict",
    "residue-not-portable",
    "result-empty",
    "result-tool-name-dropped",
    "role-approximated",
    "seal-not-portable",
    "tool-default-omitted",
  ]),
  "output-reads-as-parts": {
    action: "approximated",
    level: "note",
    message: "This output looks like a list of parts; a reader of {target} will decode it as parts.",
  },
  "run-id-synthesized": {
    action: "synthesized",
    level: "note",
    message: "The message has no run id; an empty one was written. Set metadata.runId, or pass `runId`.",
  },
  "timestamp-synthesized": {
    action: "synthesized",
    level: "note",
    message: "The message has no time; 1970-01-01 was written. Set metadata.timestamp, or pass `clock`.",
  },
} as const satisfies LossTable;

export type RunLossCode = keyof typeof RUN_LOSSES;
export type RunEncodeContext = EncodeContext<RunLossCode>;
