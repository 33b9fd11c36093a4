// Changing a part without leaving behind what vouched for the old content.
import { copyObject, sameJson } from "./json.ts";
import type { Annotation, Part } from "./parts.ts";
import { MEDIA_SOURCES } from "./shapes.ts";

/** Fields that are not what the part says: changing them breaks no seal. */
const BESIDE_THE_CONTENT: ReadonlySet<string> = new Set([
  "extra",
  "cache",
  "seals",
  "annotations",
  "logprobs",
  "toolCallId",
]);

/** What to change: a field that is given as undefined is removed. */
export type PartChange<P extends Part> = { [K in keyof P]?: P[K] | undefined };

function withoutSpan(annotation: Annotation): Annotation {
  const { span: _, ...rest } = annotation;
  return rest;
}

/** Fields that go when another one changes: they were tied to its old value. */
function tiedTo(part: Part, changed: ReadonlySet<string>): string[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return changed.has("text") ? ["logprobs"] : [];
    case "tool-call":
      return changed.has("input") || changed.has("format") ? ["inputText", "invalid"] : [];
    case "image":
    case "audio":
    case "video":
    case "file":
      return MEDIA_SOURCES.some((source) => changed.has(source)) ? [...MEDIA_SOURCES] : [];
    default:
      return [];
  }
}

/**
 * A copy of a part with some fields changed. Where the content really changes, what was tied to the old content goes:
 * seals, spans of annotations, log probabilities, the exact text of a call's input, another source of media. Fields in
 * the change itself stay.
 */
export function editPart<P extends Part>(part: P, change: PartChange<P>): P {
  const edited: P & Part = Object.assign(copyObject(part), change);
  const fields = Object.keys(change) as (keyof P & string)[];
  const changed = new Set<string>(fields.filter((field) => !sameJson(part[field], change[field])));
  const gone = new Set(tiedTo(part, changed));
  if ([...changed].some((field) => !BESIDE_THE_CONTENT.has(field))) gone.add("seals");
  if (part.type === "text" && edited.type === "text" && changed.has("text") && part.annotations !== undefined) {
    if (!fields.includes("annotations" as keyof P & string)) edited.annotations = part.annotations.map(withoutSpan);
  }
  for (const field of [...gone, ...fields]) {
    const given = Object.hasOwn(change, field) ? change[field as keyof P] : undefined;
    if (given === undefined) delete edited[field as keyof P];
  }
  return edited;
}
