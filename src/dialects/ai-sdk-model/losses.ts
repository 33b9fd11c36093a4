// Loss codes of encoding into AI SDK model messages: those of the shared catalog that can occur, and those that only
// this dialect has.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { reportOtherResidue } from "../ai-sdk/provider-options.ts";
import { ANSWER_LOSSES } from "../kit/losses/answer-catalog.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";
import { reportUnsupportedFields } from "../kit/residue/residue.ts";

export const MODEL_MESSAGE_LOSSES = {
  ...pickLosses(ANSWER_LOSSES, [
    "developer-as-system",
    "error-flag-unsupported",
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
    "metadata-dropped",
    "mime-type-guessed",
    "opaque-not-portable",
    "output-as-text",
    "output-in-content",
    "part-split",
    "part-unsupported",
    "provider-tool-unsupported",
    "refusal-as-text",
    "residue-conflict",
    "residue-not-portable",
    "result-empty",
    "role-approximated",
    "seal-not-portable",
    "summary-as-text",
    "tool-default-omitted",
  ]),
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
  // The two AI SDK formats derive the executor differently.
  "result-executor-approximated": {
    action: "approximated",
    level: "note",
    message:
      "{target} tells who ran a tool by the role of the message only; this result will be read with the executor of its role.",
  },
} as const satisfies LossTable;

export type ModelMessageLossCode = keyof typeof MODEL_MESSAGE_LOSSES;
export type ModelMessageEncodeContext = EncodeContext<ModelMessageLossCode>;

/** The loss codes of fields that are known not to be encoded; other fields are reported as `field-unsupported`. */
const FIELD_CODES = {
  id: "metadata-dropped",
  metadata: "metadata-dropped",
  createdAt: "metadata-dropped",
  parentMessageId: "metadata-dropped",
  invalid: "invalid-call-unsupported",
} as const satisfies Record<string, ModelMessageLossCode>;

/** Reports the residue of other dialects, and every field that is not in `supported`. */
export function reportUnsupportedModelFields(
  value: Message | Part,
  supported: ReadonlySet<string>,
  context: ModelMessageEncodeContext,
): void {
  reportUnsupportedFields<ModelMessageLossCode>(value, supported, context, "field-unsupported", FIELD_CODES);
  reportOtherResidue(value, context);
}
