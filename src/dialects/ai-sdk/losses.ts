// Declares the losses that both AI SDK formats, model messages and UI messages, can cause, and reports unsupported
// fields.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { ANSWER_LOSSES } from "../kit/losses/answer-catalog.ts";
import { FOREIGN_SHAPE_LOSS_CODES } from "../kit/losses/shared-codes.ts";
import { reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { reportOtherResidue } from "./provider-options.ts";

export const AI_SDK_LOSS_CODES = [
  ...FOREIGN_SHAPE_LOSS_CODES,
  "developer-as-system",
  "file-id-not-portable",
  "finish-reason-approximated",
  "id-not-portable",
  "invalid-call-unsupported",
  "late-dropped",
  "media-kind-changed",
  "mime-type-guessed",
  "opaque-not-portable",
  "output-as-text",
  "output-in-content",
  "part-split",
  "refusal-as-text",
  "result-empty",
  "role-approximated",
  "summary-as-text",
  "tool-default-omitted",
] as const satisfies readonly (keyof typeof ANSWER_LOSSES)[];
type AiSdkLossCode = (typeof AI_SDK_LOSS_CODES)[number];

/**
 * Loss codes of fields that neither model messages nor UI messages have; all other fields are reported as
 * `field-unsupported`.
 */
const FIELD_CODES = {
  id: "metadata-dropped",
  metadata: "metadata-dropped",
  createdAt: "metadata-dropped",
  parentMessageId: "metadata-dropped",
} as const satisfies Record<string, AiSdkLossCode>;

/**
 * Returns a function that reports the residue of other dialects and every field that is not in `supported`.
 * `formatCodes` are the loss codes of fields that only the caller's AI SDK format does not support.
 */
export function createFieldReporter(formatCodes: Readonly<Record<string, AiSdkLossCode>>) {
  const codes = { ...FIELD_CODES, ...formatCodes };
  return (value: Message | Part, supported: ReadonlySet<string>, context: EncodeContext<AiSdkLossCode>): void => {
    reportUnsupportedFields(value, supported, context, "field-unsupported", codes);
    reportOtherResidue(value, context);
  };
}
