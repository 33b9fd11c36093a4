// Places and losses in words.
import type { Loss, LossAction, LossLevel } from "koine";
import { stepsOf } from "../json/pointers.ts";
import type { Standing } from "./types.ts";

/** "message 3, part 1, text"; "sampling.topK"; "the whole". */
export function placeWords(path: string): string {
  const steps = stepsOf(path);
  const words: string[] = [];
  while (steps.length > 0) {
    const step = steps.shift() ?? "";
    const next = steps[0] ?? "";
    if (isIndex(step)) words.push(`message ${Number(step) + 1}`);
    else if (isIndex(next) && Object.hasOwn(LISTS, step)) {
      words.push(`${LISTS[step]} ${Number(next) + 1}`);
      steps.shift();
    } else if (step === "message") words.push("the message");
    else return [...words, [step, ...steps].join(".")].join(", ");
  }
  return words.length === 0 ? "the whole" : words.join(", ");
}

/** More places than these are counted. */
const NAMED = 3;

/** "message 3, part 1; message 5, part 1; message 7, part 2 and 40 more". */
export function placesWords(paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${(paths.length - NAMED).toLocaleString("en")} more` : "";
  return `${paths.slice(0, NAMED).map(placeWords).join("; ")}${more}`;
}

const LISTS: Readonly<Record<string, string>> = {
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

const SHORT: Record<LossAction, string> = {
  dropped: "Dropped",
  approximated: "Approximated",
  moved: "Moved",
  synthesized: "Synthesized",
  repaired: "Repaired",
};

/** "Dropped: message 3, part 1." Where the mark only stands near it, says so. */
export function aboutWords(
  { action, path }: Pick<Loss, "action" | "path">,
  standing: Standing,
  place = placeWords(path),
): string {
  if (action !== "dropped") return `${SHORT[action]}: ${place}.`;
  if (standing === "head") return `Dropped: ${place}. Nothing stands for it here.`;
  return `${standing === "near" ? "Dropped from here" : "Dropped"}: ${place}.`;
}

export const ACTION_WORDS: Record<LossAction, string> = {
  dropped: "it did not arrive",
  approximated: "it arrived in the nearest words there are",
  moved: "it stands elsewhere",
  synthesized: "the target needs something that nobody has said, so that it was made",
  repaired: "the target would refuse it as it is, so that it was mended",
};

export const LEVEL_MEANINGS: Record<LossLevel, string> = {
  breaks: "the reader would answer another question",
  loss: "content or meaning did not arrive as it was",
  note: "bookkeeping, echoes and boundaries; nothing that a model would miss",
};
