// What this dialect cannot say.
import {
  argumentsWrapped,
  callInvalid,
  developerAsSystem,
  fileId,
  mediaElsewhere,
  mediaMoved,
  outputAsText,
  reasoningUnsaid,
  refusalAsText,
  resultEmpty,
  schemaChanged,
  systemJoined,
  systemMoved,
  textAsData,
  toolDefault,
  turnsMerged,
  userFirst,
} from "../kit/losses.ts";
import { PROVIDER_LOSSES } from "../kit/provider-losses.ts";
import type { LossTable } from "../kit/report.ts";

/** Gemini takes any id. */
const { "call-id-renamed": _unneeded, ...SHARED } = PROVIDER_LOSSES;

export const LOSSES = {
  ...SHARED,
  ...systemJoined,
  ...systemMoved,
  ...developerAsSystem,
  ...turnsMerged,
  ...reasoningUnsaid,
  ...refusalAsText,
  ...fileId,
  ...mediaElsewhere,
  ...mediaMoved,
  ...textAsData,
  ...toolDefault,
  ...callInvalid,
  ...argumentsWrapped,
  ...outputAsText,
  ...resultEmpty,
  ...userFirst,
  ...schemaChanged,
  "signature-sentinel": {
    action: "synthesized",
    level: "note",
    says: "The model wants a signature on calls that it did not make; Google's word for having none was written.",
  },
  "message-empty": { action: "repaired", level: "note", says: "Nothing of it can be said, and turns need a part." },
  "summary-as-thought": { action: "approximated", level: "note", says: "The summary was written as the thought." },
  "result-text-joined": {
    action: "approximated",
    level: "note",
    says: "A result has one output; its texts were joined to it.",
  },
  "url-as-data": { action: "approximated", level: "note", says: "The data URL was written as inline data." },
  "mime-guessed": {
    action: "synthesized",
    level: "loss",
    says: "Inline data needs a mime type; the likeliest was written.",
  },
  "media-kind": {
    action: "approximated",
    level: "note",
    says: "Only a mime type tells what kind of media it is; say it.",
  },
  "setting-nearest": {
    action: "approximated",
    level: "note",
    says: "There is no such setting; the nearest was asked for.",
  },
  "effort-as-budget": {
    action: "approximated",
    level: "note",
    says: "This model has no levels of thinking; a budget was asked for.",
  },
  "parameters-empty": {
    action: "repaired",
    level: "note",
    says: "An object without properties, which is refused, was left out: no parameters mean the same.",
  },
  "finish-nearest": { action: "approximated", level: "note", says: "There is no word for this ending." },
} as const satisfies LossTable;
export type Code = keyof typeof LOSSES;
