// Declares the losses of encoding into tagged messages: the shared codes that can occur, and the codes that only this
// dialect has.
import type { EncodeContext } from "../dialect.ts";
import { COMMON_LOSSES, pickLosses } from "../kit/losses/catalog.ts";
import { INTERCHANGE_LOSS_CODES } from "../kit/losses/interchange-codes.ts";
import type { LossTable } from "../kit/losses/report.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";

export const TAGGED_LOSSES = {
  ...pickLosses(COMMON_LOSSES, [
    ...INTERCHANGE_LOSS_CODES,
    "file-id-not-portable",
    "opaque-not-portable",
    "output-as-text",
    "refusal-as-text",
    "result-text-joined",
    "result-tool-name-dropped",
    "text-as-data",
  ]),
  // The action is "approximated", not "repaired": arguments that are not an object are always written inside a wrapper
  // object, and no decoder unwraps them (B22).
  "arguments-wrapped": {
    action: "approximated",
    level: "loss",
    message: '{target} requires arguments to be an object; these were written as { "$value": … }.',
  },
  "result-part-dropped": {
    action: "dropped",
    level: "loss",
    message: "A result of {target} is a text; this part was dropped. Send images and files in a message of their own.",
  },
} as const satisfies LossTable;

export type TaggedLossCode = keyof typeof TAGGED_LOSSES;

/** Loss codes of fields that are never encoded; all other unsupported fields are reported as `field-unsupported`. */
const FIELD_CODES: Readonly<Partial<Record<string, TaggedLossCode>>> = {
  id: "metadata-dropped",
  metadata: "metadata-dropped",
  parentMessageId: "metadata-dropped",
  createdAt: "metadata-dropped",
  cache: "metadata-dropped",
  size: "metadata-dropped",
  issuer: "metadata-dropped",
  executor: "metadata-dropped",
  seals: "seal-not-portable",
};

/** Reports every field of a message or part that is not in `supported`, and the residue of other dialects. */
export function reportTaggedFields(
  value: object,
  supported: ReadonlySet<string>,
  context: EncodeContext<TaggedLossCode>,
): void {
  reportUnsupportedFields(value, supported, context, "field-unsupported", FIELD_CODES);
  if (supported.has("extra")) reportNotPortableResidue(value, context);
}
