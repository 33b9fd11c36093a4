// Loss codes of encoding into AI SDK UI messages: those of the shared catalog that can occur, and those that only this
// dialect has.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { reportOtherResidue } from "../ai-sdk/provider-options.ts";
import { ANSWER_LOSSES } from "../kit/losses/answer-catalog.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";
import { reportUnsupportedFields } from "../kit/residue/residue.ts";

export const UI_MESSAGE_LOSSES = {
  ...pickLosses(ANSWER_LOSSES, [
    "developer-as-system",
    "field-unsupported",
    "file-id-not-portable",
    "finish-reason-approximated",
    "form-not-portable",
    "form-stale",
    "id-not-portable",
    "invalid-call-unsupported",
    "late-dropped",
    "media-kind-changed",
    "media-source-unsupported",
    "message-unsupported",
    "metadata-dropped",
    "mime-type-guessed",
    "opaque-not-portable",
    "output-as-text",
    "output-in-content",
    "part-split",
    "part-unsupported",
    "raw-finish-reason-dropped",
    "refusal-as-text",
    "residue-conflict",
    "residue-not-portable",
    "result-empty",
    "result-tool-name-dropped",
    "role-approximated",
    "seal-not-portable",
    "summary-as-text",
    "text-as-data",
    "tool-default-omitted",
    "turns-merged",
  ]),
  "id-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} requires an id on every message; one was created.",
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
  // UI messages are not repaired, so a second result of a call is reported instead.
  "result-duplicate": {
    action: "dropped",
    level: "loss",
    message: "{target} has one result per call; this later result was dropped.",
  },
  // The two AI SDK formats derive the executor differently.
  "result-executor-approximated": {
    action: "approximated",
    level: "note",
    message:
      "{target} has the executor of a tool only on the call; this result will be decoded with the executor of its call.",
  },
} as const satisfies LossTable;

export type UiMessageLossCode = keyof typeof UI_MESSAGE_LOSSES;
export type UiEncodeContext = EncodeContext<UiMessageLossCode>;

/** The loss codes of fields that are known not to be encoded; other fields are reported as `field-unsupported`. */
const FIELD_CODES = {
  id: "metadata-dropped",
  metadata: "metadata-dropped",
  createdAt: "metadata-dropped",
  parentMessageId: "metadata-dropped",
  size: "metadata-dropped",
} as const satisfies Record<string, UiMessageLossCode>;

/** Reports the residue of other dialects, and every field that is not in `supported`. */
export function reportUnsupportedUiFields(
  value: Message | Part,
  supported: ReadonlySet<string>,
  context: UiEncodeContext,
): void {
  reportUnsupportedFields<UiMessageLossCode>(value, supported, context, "field-unsupported", FIELD_CODES);
  reportOtherResidue(value, context);
}
