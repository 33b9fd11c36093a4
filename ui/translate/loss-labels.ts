// Formats paths and losses for the user, and explains the actions and levels of losses.
import type { Loss, LossAction, LossLevel } from "koine";
import { splitPointer } from "../json/json-pointers.ts";
import type { LossPrecision } from "./types.ts";

/** Returns a text such as "message 3, part 1, text" or "sampling.topK"; "the whole payload" for the empty path. */
export function formatPath(path: string): string {
  const steps = splitPointer(path);
  const labels: string[] = [];
  while (steps.length > 0) {
    const step = steps.shift() ?? "";
    const next = steps[0] ?? "";
    if (isIndex(step)) labels.push(`message ${Number(step) + 1}`);
    else if (isIndex(next) && Object.hasOwn(ITEM_NAMES, step)) {
      labels.push(`${ITEM_NAMES[step]} ${Number(next) + 1}`);
      steps.shift();
    } else if (step === "message") labels.push("the message");
    else return [...labels, [step, ...steps].join(".")].join(", ");
  }
  return labels.length === 0 ? "the whole payload" : labels.join(", ");
}

/** Maximum number of paths that are listed; further paths are only counted. */
const MAX_LISTED_PATHS = 3;

/** Returns a text such as "message 3, part 1; message 5, part 1; message 7, part 2 and 40 more". */
export function formatPaths(paths: readonly string[]): string {
  const more =
    paths.length > MAX_LISTED_PATHS ? ` and ${(paths.length - MAX_LISTED_PATHS).toLocaleString("en")} more` : "";
  return `${paths.slice(0, MAX_LISTED_PATHS).map(formatPath).join("; ")}${more}`;
}

const ITEM_NAMES: Readonly<Record<string, string>> = {
  messages: "message",
  parts: "part",
  content: "content",
  tools: "tool",
  alternatives: "choice",
  seals: "seal",
  annotations: "annotation",
};

function isIndex(step: string): boolean {
  return /^\d+$/.test(step);
}

const ACTION_LABELS: Record<LossAction, string> = {
  dropped: "Dropped",
  approximated: "Approximated",
  moved: "Moved",
  synthesized: "Synthesized",
  repaired: "Repaired",
};

/**
 * Returns a text such as "Dropped: message 3, part 1." The text for a dropped value also states whether the shown
 * position is that of the value ("at"), of its container ("near"), or only the head of the document ("head").
 */
export function describeLoss(
  { action, path }: Pick<Loss, "action" | "path">,
  precision: LossPrecision,
  position = formatPath(path),
): string {
  if (action !== "dropped") return `${ACTION_LABELS[action]}: ${position}.`;
  if (precision === "head") return `Dropped: ${position}. Nothing represents it here.`;
  return `${precision === "near" ? "Dropped from here" : "Dropped"}: ${position}.`;
}

export const ACTION_MEANINGS: Record<LossAction, string> = {
  dropped: "the target does not receive it",
  approximated: "the target receives the closest equivalent",
  moved: "the target receives it at another place",
  synthesized: "the target requires a value that the payload does not have, so one was added",
  repaired: "the target would reject it unchanged, so it was changed",
};

export const LEVEL_MEANINGS: Record<LossLevel, string> = {
  breaks: "the target would answer another question",
  loss: "content or meaning is not received unchanged",
  note: "metadata, repetitions and boundaries; nothing that a model would miss",
};
