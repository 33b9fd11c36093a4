// Defines the losses of encoding into OpenAI Chat Completions: the codes of the catalog that can occur, and the codes
// that only this dialect has.
import { OPENAI_LOSS_CODES } from "../openai/losses.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import { PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const CHAT_LOSSES = {
  ...pickLosses(PROVIDER_LOSSES, [
    ...OPENAI_LOSS_CODES,
    "approval-not-portable",
    "developer-as-system",
    "invalid-call-unsupported",
    "media-moved",
    "mime-type-guessed",
    "parts-reordered",
    "stop-sequence-limit",
    "texts-joined",
    "tool-not-portable",
  ]),
  // Replaces the catalog's message for this code, because requests and answers of Chat support different citations.
  "annotation-unsupported": {
    action: "dropped",
    level: "loss",
    message:
      "Requests of {target} have no citations, and its answers have only citations of URLs; this citation was dropped.",
  },
  // Replaces the catalog's message for this code with one that names the accepted audio formats.
  "media-format-unsupported": {
    action: "repaired",
    level: "loss",
    message: "{target} accepts audio as WAV or MP3 only; this audio was dropped.",
  },
  "metadata-requires-store": {
    action: "repaired",
    level: "loss",
    message: "{target} accepts metadata only with `store: true`; the metadata was dropped.",
  },
  "document-as-text": {
    action: "approximated",
    level: "loss",
    message: "{target} accepts documents as PDF only; this document was written as text.",
  },
  "text-empty": {
    action: "approximated",
    level: "note",
    message: "{target} does not distinguish an empty assistant text from a missing text; a decoder will find no text.",
  },
  "results-split": {
    action: "moved",
    level: "note",
    message: "{target} has one message per result; each result was written as a message of its own.",
  },
  "audio-sent-by-id": {
    action: "dropped",
    level: "note",
    message: "{target} identifies this audio by its id; its data was not sent again.",
  },
} as const satisfies LossTable;

export type ChatLossCode = keyof typeof CHAT_LOSSES;
