// What this dialect cannot say.
import {
  errorUnsaid,
  fileId,
  mediaElsewhere,
  outputAsText,
  outputInContent,
  reasoningUnsaid,
  refusalAsText,
  resultEmpty,
  roleApproximated,
  strictUnmet,
  systemJoined,
  textAsData,
  toolDefault,
  toolName,
  turnsMerged,
  messageEmpty,
  messageUnsaid,
  finishApproximated,
  STREAM_LOSSES,
} from "../kit/losses.ts";
import { metadataUnfit } from "../kit/openai-shared.ts";
import { PROVIDER_LOSSES } from "../kit/provider-losses.ts";
import type { LossDeclaration } from "../kit/report.ts";

export const LOSSES = {
  ...PROVIDER_LOSSES,
  ...messageEmpty,
  ...messageUnsaid,
  ...finishApproximated,
  ...errorUnsaid,
  ...fileId,
  ...mediaElsewhere,
  ...metadataUnfit,
  ...outputAsText,
  ...outputInContent,
  ...reasoningUnsaid,
  ...refusalAsText,
  ...resultEmpty,
  ...roleApproximated,
  ...strictUnmet,
  ...systemJoined,
  ...textAsData,
  ...toolDefault,
  ...toolName,
  ...turnsMerged,
  ...STREAM_LOSSES,
  "reasoning-unpaired": {
    action: "repaired",
    level: "loss",
    message:
      "Reasoning is refused unless what followed it goes with it, and, where it goes by its id, is stored; left out.",
  },
  "output-shaped": {
    action: "approximated",
    level: "note",
    message: "This tool answers in a shape of its own; the text was put into it.",
  },
  "field-filled": {
    action: "synthesized",
    level: "note",
    message: "A field that must be there, and that nobody has given, was filled with a plain value.",
  },
  "default-unsaid": { action: "dropped", level: "note", message: "It is what happens anyway, and goes unsaid." },
} as const satisfies Record<string, LossDeclaration>;
export type Code = keyof typeof LOSSES;
