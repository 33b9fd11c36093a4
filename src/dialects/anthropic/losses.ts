// What this dialect cannot say, and what it mends.
import { approvalForeign } from "../kit/approvals.ts";
import {
  argumentsWrapped,
  callInvalid,
  choiceLost,
  developerAsSystem,
  effortAsBudget,
  errorUnsaid,
  fileId,
  mediaElsewhere,
  outputAsText,
  outputInContent,
  reasoningUnsaid,
  refusalAsText,
  roleApproximated,
  schemaChanged,
  schemaMade,
  strictUnmet,
  systemJoined,
  textBlank,
  textTrimmed,
  toolDefault,
  toolName,
  turnsMerged,
  userFirst,
  messageEmpty,
  messageUnsaid,
  finishApproximated,
  STREAM_LOSSES,
} from "../kit/losses.ts";
import { PROVIDER_LOSSES } from "../kit/provider-losses.ts";
import type { LossDeclaration } from "../kit/report.ts";

export const LOSSES = {
  ...PROVIDER_LOSSES,
  ...STREAM_LOSSES,
  ...messageEmpty,
  ...messageUnsaid,
  ...finishApproximated,
  ...approvalForeign,
  ...argumentsWrapped,
  ...callInvalid,
  ...choiceLost,
  ...developerAsSystem,
  ...effortAsBudget,
  ...errorUnsaid,
  ...fileId,
  ...mediaElsewhere,
  ...outputAsText,
  ...outputInContent,
  ...reasoningUnsaid,
  ...refusalAsText,
  ...roleApproximated,
  ...schemaChanged,
  ...schemaMade,
  ...strictUnmet,
  ...systemJoined,
  ...textBlank,
  ...textTrimmed,
  ...toolDefault,
  ...toolName,
  ...turnsMerged,
  ...userFirst,
  "annotation-unsaid": {
    action: "dropped",
    level: "loss",
    message: "A citation here points into a document of the request, or at one of the provider's own search results.",
  },
  "summary-as-text": {
    action: "approximated",
    level: "loss",
    message: "There are no summaries of reasoning; they were written as its text.",
  },
  "media-unfit": {
    action: "repaired",
    level: "loss",
    message:
      "The target takes images (JPEG, PNG, GIF, WebP), PDF and plain text, from the user and from tools; left out.",
  },
  "media-type": {
    action: "repaired",
    level: "note",
    message: "Its type was filled in, or is one that the target takes.",
  },
  "media-inlined": { action: "repaired", level: "note", message: "It was written as what its bytes are." },
  "cache-surplus": {
    action: "repaired",
    level: "note",
    message: "The target takes four breakpoints; the first four count.",
  },
  "tool-foreign": { action: "dropped", level: "loss", message: "A tool that only another provider has." },
  "choice-approximated": {
    action: "approximated",
    level: "loss",
    message: "A choice among several tools cannot be said; all of them may be called.",
  },
  "choice-unfit": {
    action: "repaired",
    level: "loss",
    message: "A tool cannot be forced while the model thinks; the choice became its own.",
  },
  "setting-approximated": {
    action: "approximated",
    level: "note",
    message: "There is no such word; the nearest one was written.",
  },
  "sampling-unfit": {
    action: "repaired",
    level: "loss",
    message:
      "The target refuses this value, or refuses it while the model thinks; left out, or brought within its limits.",
  },
  "budget-adjusted": {
    action: "repaired",
    level: "note",
    message: "A budget for thinking is at least 1024 tokens, and less than all of the output.",
  },
  "thinking-unfit": {
    action: "repaired",
    level: "loss",
    message:
      "The model cannot think here: it never does, a tool is forced, the output is too short, or the turn in progress began without signed thinking.",
  },
  "max-tokens-default": {
    action: "synthesized",
    level: "note",
    message: "The target wants to know how long an answer may be; a default was written.",
  },
  "failure-unsaid": {
    action: "dropped",
    level: "breaks",
    message: "An answer cannot say that it failed; send the error in its place.",
  },
  "usage-made": { action: "synthesized", level: "note", message: "Clients count on counts; zeros were written." },
  "usage-odd": {
    action: "approximated",
    level: "note",
    message: "Counts that contradict each other; none is below zero.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type Code = keyof typeof LOSSES;
