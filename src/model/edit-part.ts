// Edits a part, and removes the fields that were valid only for its old content, such as signatures.
import { assertObject } from "./argument-error.ts";
import { assignObject, copyObject, sameJson } from "./json/index.ts";
import type { Annotation, Part } from "./parts.ts";
import { MEDIA_SOURCES } from "./validation/message-shapes.ts";

/** The fields of a part that are not its content. If only these fields change, the seals of the part are kept. */
const FIELDS_OUTSIDE_CONTENT: ReadonlySet<string> = new Set([
  "extra",
  "cache",
  "seals",
  "annotations",
  "logprobs",
  "toolCallId",
]);

/** The new values of the fields to change. A field with the value undefined is removed from the part. */
export type PartChange<P extends Part> = { [K in keyof P]?: P[K] | undefined };

function withoutSpan(annotation: Annotation): Annotation {
  const { span: _, ...rest } = annotation;
  return rest;
}

/**
 * Returns the names of the fields that must be removed, because they are valid only for the old value of a field in
 * `changedFields`.
 */
function findDependentFields(part: Part, changedFields: ReadonlySet<string>): string[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return changedFields.has("text") ? ["logprobs"] : [];
    case "tool-call":
      return changedFields.has("input") || changedFields.has("format") ? ["inputText", "invalid"] : [];
    case "image":
    case "audio":
    case "video":
    case "file":
      return MEDIA_SOURCES.some((source) => changedFields.has(source)) ? [...MEDIA_SOURCES] : [];
    default:
      return [];
  }
}

/**
 * Returns a copy of a part with some fields changed. If the content changes, fields that are valid only for the old
 * content are removed: seals, spans of annotations, log probabilities, `inputText` and `invalid` of a call, and the old
 * source of a media part. A field with a value in `change` is never removed this way.
 *
 * @example
 * ```ts
 * import { editPart, text } from "koine";
 *
 * const part = text("The code is 1234.", { seals: [{ dialect: "gemini", kind: "signature", value: "c2lnbmVk" }] });
 * const masked = editPart(part, { text: part.text.replace("1234", "[redacted]") });
 * console.log(masked); // {"type":"text","text":"The code is [redacted]."}
 * ```
 */
export function editPart<P extends Part>(part: P, change: PartChange<P>): P {
  assertObject("editPart", "part", part);
  assertObject("editPart", "change", change);
  const edited: P & Part = assignObject(copyObject(part), change);
  const fields = Object.keys(change) as (keyof P & string)[];
  const changedFields = new Set<string>(fields.filter((field) => !sameJson(part[field], change[field])));
  const removedFields = new Set(findDependentFields(part, changedFields));
  if ([...changedFields].some((field) => !FIELDS_OUTSIDE_CONTENT.has(field))) removedFields.add("seals");
  if (part.type === "text" && edited.type === "text" && changedFields.has("text") && part.annotations !== undefined) {
    if (!fields.includes("annotations" as keyof P & string)) edited.annotations = part.annotations.map(withoutSpan);
  }
  for (const field of [...removedFields, ...fields]) {
    const newValue = Object.hasOwn(change, field) ? change[field as keyof P] : undefined;
    if (newValue === undefined) delete edited[field as keyof P];
  }
  return edited;
}
