// What this dialect cannot say.
import { approvalForeign } from "../kit/approvals.ts";
import {
  callInvalid,
  developerAsSystem,
  errorUnsaid,
  fileId,
  mediaElsewhere,
  mediaMoved,
  outputAsText,
  outputInContent,
  reasoningUnsaid,
  resultEmpty,
  roleApproximated,
  strictUnmet,
  textAsData,
  toolDefault,
  toolName,
  messageEmpty,
  finishApproximated,
  mimeGuessed,
  STREAM_LOSSES,
} from "../kit/losses.ts";
import { metadataUnfit } from "../kit/openai-shared.ts";
import { PROVIDER_LOSSES } from "../kit/provider-losses.ts";

export const LOSSES = {
  ...PROVIDER_LOSSES,
  ...STREAM_LOSSES,
  ...messageEmpty,
  ...finishApproximated,
  ...mimeGuessed,
  ...approvalForeign,
  ...callInvalid,
  ...developerAsSystem,
  ...errorUnsaid,
  ...fileId,
  ...mediaElsewhere,
  ...mediaMoved,
  ...metadataUnfit,
  "metadata-unstored": {
    action: "repaired",
    level: "loss",
    message: "The target takes metadata only with answers that it stores (`store: true`); they were left out.",
  },
  ...outputAsText,
  ...outputInContent,
  ...reasoningUnsaid,
  ...resultEmpty,
  ...roleApproximated,
  ...strictUnmet,
  ...textAsData,
  ...toolDefault,
  ...toolName,
  "media-unfit": {
    action: "repaired",
    level: "loss",
    message: "The target takes audio as WAV and MP3 only; left out.",
  },
  "document-as-text": {
    action: "approximated",
    level: "loss",
    message: "The target takes no documents but PDF; it was written as text.",
  },
  "stop-unfit": { action: "repaired", level: "loss", message: "The target takes one to four of these; left out." },
  "order-regrouped": {
    action: "moved",
    level: "loss",
    message: "Reasoning, content, refusal and calls have one place each; it stands before what it followed.",
  },
  "texts-joined": {
    action: "approximated",
    level: "note",
    message: "Several texts have one field; they went out as one.",
  },
  "text-empty": {
    action: "approximated",
    level: "note",
    message: "An empty text of the assistant is read as no text.",
  },
  "results-split": {
    action: "moved",
    level: "note",
    message: "Each result is a message of its own, and holds nothing else.",
  },
  "annotation-unsaid": {
    action: "dropped",
    level: "loss",
    message: "Only answers have citations, and only of URLs; requests do not repeat them.",
  },
  "field-filled": {
    action: "synthesized",
    level: "note",
    message: "A field that must be there, and that nobody has given, was filled with a plain value.",
  },
  "audio-by-id": { action: "dropped", level: "note", message: "The provider knows the audio by its id." },
  "tool-foreign": { action: "dropped", level: "loss", message: "A tool that only another provider has." },
} as const;
export type Code = keyof typeof LOSSES;
