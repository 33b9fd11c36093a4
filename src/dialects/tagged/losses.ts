// What encoding into this shape can lose.
import type { EncodeContext } from "../dialect.ts";
import {
  bookkeeping,
  callInvalid,
  fieldUnsaid,
  fileId,
  formStale,
  mediaAsFile,
  mediaElsewhere,
  opaqueForeign,
  outputAsText,
  partUnsayable,
  providerTool,
  refusalAsText,
  residueClash,
  resultEmpty,
  roleApproximated,
  textAsData,
  toolName,
} from "../kit/losses.ts";
import type { LossDeclaration } from "../kit/report.ts";
import { NOT_PORTABLE_LOSSES, reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue.ts";

export const LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  ...bookkeeping,
  ...fieldUnsaid,
  ...formStale,
  ...residueClash,
  ...roleApproximated,
  ...partUnsayable,
  ...opaqueForeign,
  ...refusalAsText,
  ...mediaAsFile,
  ...textAsData,
  ...mediaElsewhere,
  ...fileId,
  ...callInvalid,
  ...providerTool,
  ...toolName,
  ...resultEmpty,
  ...outputAsText,
  "arguments-wrapped": {
    action: "approximated",
    level: "loss",
    message: 'Arguments must be an object here; these were written as { "$value": … }.',
  },
  "result-text-joined": {
    action: "approximated",
    level: "note",
    message: "A result is one text here; this text was joined with the rest of it.",
  },
  "result-part-dropped": {
    action: "dropped",
    level: "loss",
    message: "A result is a text here; send images and files in a message of their own.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type Code = keyof typeof LOSSES;

/** Fields of messages and parts that are known not to travel; what is not listed is `field-unsaid`. */
const UNCARRIED: Readonly<Partial<Record<string, Code>>> = {
  id: "bookkeeping",
  metadata: "bookkeeping",
  parentMessageId: "bookkeeping",
  createdAt: "bookkeeping",
  cache: "bookkeeping",
  size: "bookkeeping",
  issuer: "bookkeeping",
  executor: "bookkeeping",
  seals: "seal-foreign",
};

/** Reports what does not travel of the message or part in hand. */
export function reportRest(value: object, carried: ReadonlySet<string>, context: EncodeContext<Code>): void {
  reportUnsupportedFields(value, carried, context, "field-unsaid", UNCARRIED);
  if (carried.has("extra")) reportNotPortableResidue(value, context);
}
