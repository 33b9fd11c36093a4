// Changing a part without leaving behind what vouched for the old content.
import { sameJson } from "./json.ts";
import type { Annotation, Part } from "./parts.ts";

/** Fields that say nothing about what the part means: changing them breaks no seal. */
const BESIDE_THE_CONTENT: ReadonlySet<string> = new Set(["extra", "cache", "seals"]);

function withoutSpan(annotation: Annotation): Annotation {
  const { span: _, ...rest } = annotation;
  return rest;
}

/**
 * A copy of a part with some fields changed. Where the content really changes, what was tied to the old content goes:
 * seals, spans of annotations, log probabilities, the exact text of a call's input. Fields in the change itself stay.
 */
export function editPart<P extends Part>(part: P, change: Partial<P>): P {
  const edited: P = { ...part, ...change };
  const fields = Object.keys(change) as (keyof P & string)[];
  const touched = fields.some((field) => !BESIDE_THE_CONTENT.has(field) && !sameJson(part[field], change[field]));
  if (!touched) return edited;
  const stale = (field: string): boolean => !Object.hasOwn(change, field);
  if (stale("seals")) delete edited.seals;
  if (edited.type === "text" && edited.annotations !== undefined && stale("annotations")) {
    edited.annotations = edited.annotations.map(withoutSpan);
  }
  if ((edited.type === "text" || edited.type === "refusal") && stale("logprobs")) delete edited.logprobs;
  if (edited.type === "tool-call" && stale("inputText")) delete edited.inputText;
  if (edited.type === "tool-call" && stale("invalid") && Object.hasOwn(change, "input")) delete edited.invalid;
  return edited;
}
