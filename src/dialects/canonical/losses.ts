// Everything that can go missing on the way into stored messages. The current version says all that the model says and
// only fills in what was never stored; version 1 knows five parts and four roles.
import type { EncodeContext } from "../dialect.ts";
import {
  bookkeeping,
  fieldUnsaid,
  mediaAsFile,
  mediaElsewhere,
  partUnsayable,
  providerTool,
  refusalAsText,
  roleApproximated,
  toolDefault,
} from "../kit/losses.ts";
import type { LossDeclaration } from "../kit/report.ts";
import { NOT_PORTABLE_LOSSES } from "../kit/residue.ts";

export const CANONICAL_LOSSES = {
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
  "stored-fields-synthesized": {
    action: "synthesized",
    level: "note",
    message:
      "Never stored; id, parent, time and version were filled in where missing. Pass `newId` and `clock` to choose them.",
  },
  "id-replaced": {
    action: "synthesized",
    level: "note",
    message: "A stored message's id is a ULID of its own; this one was replaced.",
  },
  "parent-replaced": {
    action: "synthesized",
    level: "note",
    message: "The parent's id was replaced; the new one was written.",
  },
  "version-synthesized": {
    action: "synthesized",
    level: "note",
    message: "This version is not known here; the current one was written.",
  },
  "mime-type-synthesized": {
    action: "synthesized",
    level: "note",
    message: "A file of version 1 needs a mime type; the widest one that is true was written.",
  },
  "content-as-output": {
    action: "approximated",
    level: "loss",
    message: "A result of version 1 has no parts; they were written as the JSON of its output.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type CanonicalLoss = keyof typeof CANONICAL_LOSSES;
export type CanonicalEncodeContext = EncodeContext<CanonicalLoss>;
