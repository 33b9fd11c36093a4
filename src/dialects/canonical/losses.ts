// Declares the losses of encoding into stored messages. The current schema version represents the complete model, so
// its losses are only notes about fields that were filled in. Version 1 has only five part types and four roles.
import type { EncodeContext } from "../dialect.ts";
import { COMMON_LOSSES, pickLosses } from "../kit/losses/catalog.ts";
import { UNIVERSAL_LOSS_CODES } from "../kit/losses/shared-codes.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const CANONICAL_LOSSES = {
  ...pickLosses(COMMON_LOSSES, [
    ...UNIVERSAL_LOSS_CODES,
    "media-as-file",
    "provider-tool-unsupported",
    "refusal-as-text",
    "role-approximated",
    "tool-default-omitted",
  ]),
  "stored-fields-synthesized": {
    action: "synthesized",
    level: "note",
    message:
      "The message was never stored; its missing id, parent, time or version was filled in. Pass `newId` and `clock` to choose them.",
  },
  "id-replaced": {
    action: "synthesized",
    level: "note",
    message: "A stored message requires a ULID of its own as its id; this id was replaced.",
  },
  "parent-replaced": {
    action: "synthesized",
    level: "note",
    message: "The id of the parent message was replaced; the new id was written as `parentMessageId`.",
  },
  "version-synthesized": {
    action: "synthesized",
    level: "note",
    message: "The schema version is unknown; the current version was written.",
  },
  "mime-type-synthesized": {
    action: "synthesized",
    level: "note",
    message: "A file of version 1 requires a MIME type; the most general MIME type of the part's type was written.",
  },
  "content-as-output": {
    action: "approximated",
    level: "loss",
    message: "A result of version 1 has no content parts; they were written as the JSON of its output.",
  },
} as const satisfies LossTable;

export type CanonicalEncodeContext = EncodeContext<keyof typeof CANONICAL_LOSSES>;
