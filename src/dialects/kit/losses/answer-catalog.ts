// Declares the losses that dialects with answers can cause: the dialects of the providers and of the AI SDK.
import { COMMON_LOSSES } from "./catalog.ts";
import type { LossTable } from "./report.ts";

export const ANSWER_LOSSES = {
  ...COMMON_LOSSES,
  "developer-as-system": {
    action: "approximated",
    level: "note",
    message: "{target} has no developer role; the message was written as system text.",
  },
  "turns-merged": {
    action: "moved",
    level: "note",
    message: "Neighboring messages of one role are one turn in {target}; they were merged.",
  },
  "message-unsupported": {
    action: "dropped",
    level: "note",
    message: "{target} has no equivalent of any part of this message; the message was dropped.",
  },
  "id-not-portable": {
    action: "dropped",
    level: "note",
    message: "Only its issuer can resolve this id; {target} does not receive it.",
  },
  "finish-reason-approximated": {
    action: "approximated",
    level: "loss",
    message: "{target} has no such finish reason; the nearest one was written.",
  },
  "raw-finish-reason-dropped": {
    action: "dropped",
    level: "note",
    message: "{target} has no field for another provider's own finish reason; it was dropped.",
  },
  "mime-type-guessed": {
    action: "synthesized",
    level: "note",
    message: "{target} requires a MIME type for inline media; the likeliest one was written.",
  },
  "media-kind-changed": {
    action: "approximated",
    level: "note",
    message: "{target} derives the kind of media from the MIME type; this part will be read as another kind.",
  },
  "part-split": {
    action: "approximated",
    level: "note",
    message:
      "More of this part arrived after the stream had opened another block; the rest was written as a further block of its kind.",
  },
  "late-dropped": {
    action: "dropped",
    level: "loss",
    message: "This value arrived after the stream had closed its block; it was dropped.",
  },
} as const satisfies LossTable;
