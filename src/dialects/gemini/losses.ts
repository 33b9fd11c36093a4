// What this dialect cannot say.
import { approvalForeign } from "../kit/approvals.ts";
import {
  argumentsWrapped,
  callInvalid,
  choiceLost,
  developerAsSystem,
  effortAsBudget,
  fileId,
  mediaElsewhere,
  mediaMoved,
  outputAsText,
  reasoningUnsaid,
  refusalAsText,
  resultEmpty,
  schemaChanged,
  schemaMade,
  systemJoined,
  systemMoved,
  textAsData,
  toolDefault,
  turnsMerged,
  userFirst,
  messageEmpty,
  finishApproximated,
  mimeGuessed,
  STREAM_LOSSES,
} from "../kit/losses.ts";
import { PROVIDER_LOSSES } from "../kit/provider-losses.ts";
import type { LossTable } from "../kit/report.ts";

/** Gemini takes any id. */
const { "call-id-renamed": _unneeded, ...SHARED } = PROVIDER_LOSSES;

export const LOSSES = {
  ...SHARED,
  ...messageEmpty,
  ...finishApproximated,
  ...mimeGuessed,
  ...approvalForeign,
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
  ...schemaMade,
  ...choiceLost,
  ...effortAsBudget,
  ...STREAM_LOSSES,
  "texts-joined": {
    action: "approximated",
    level: "note",
    message: "The reader of a stream joins neighbouring texts; where one ended and the next began is not told.",
  },
  "signature-sentinel": {
    action: "synthesized",
    level: "note",
    message: "The model wants a signature on calls that it did not make; Google's word for having none was written.",
  },
  "summary-as-thought": { action: "approximated", level: "note", message: "The summary was written as the thought." },
  "result-text-joined": {
    action: "approximated",
    level: "note",
    message: "A result has one output; its texts were joined to it.",
  },
  "url-as-data": { action: "approximated", level: "note", message: "The data URL was written as inline data." },
  "mime-told": {
    action: "synthesized",
    level: "note",
    message: "Only a mime type tells what kind of media it is; the ending of the address told it.",
  },
  "media-kind": {
    action: "approximated",
    level: "note",
    message: "Only a mime type tells what kind of media it is; say it.",
  },
  "setting-nearest": {
    action: "approximated",
    level: "note",
    message: "There is no such setting; the nearest was asked for.",
  },
  "stop-surplus": {
    action: "repaired",
    level: "loss",
    message: "The target takes five stop sequences; the first five count.",
  },
  "logprobs-made": {
    action: "synthesized",
    level: "note",
    message: "The likeliest tokens are told only where log probabilities are asked for, so that they were.",
  },
  "parameters-empty": {
    action: "repaired",
    level: "note",
    message: "An object without properties, which is refused, was left out: no parameters mean the same.",
  },
} as const satisfies LossTable;
export type Code = keyof typeof LOSSES;
