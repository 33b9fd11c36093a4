// Citations of an answer. The wire counts characters, the model UTF-16 units; both ways are exact.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { CodePoints } from "../kit/code-points.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { storeForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import type { Writing } from "./writing.ts";
import { spelled, wasAbsent } from "./writing.ts";

type Field = "url" | "title" | "fileId";

/** What each type of citation says, and what the wire calls it. The first of a kind is its plain one. */
const TYPES: readonly {
  type: string;
  kind: Annotation["kind"];
  fields: [field: Field, wire: string][];
  span: boolean;
}[] = [
  {
    type: "url_citation",
    kind: "url",
    fields: [
      ["url", "url"],
      ["title", "title"],
    ],
    span: true,
  },
  {
    type: "file_citation",
    kind: "file",
    fields: [
      ["fileId", "file_id"],
      ["title", "filename"],
    ],
    span: false,
  },
  {
    type: "container_file_citation",
    kind: "file",
    fields: [
      ["fileId", "file_id"],
      ["title", "filename"],
    ],
    span: true,
  },
  { type: "file_path", kind: "file", fields: [["fileId", "file_id"]], span: false },
];

/** The citations of a list; undefined where one of them cannot be read. */
export function decodeAnnotations(
  list: readonly JsonValue[],
  text: string,
  context: DecodeContext,
): Annotation[] | undefined {
  const annotations: Annotation[] = [];
  const points = list.length === 0 ? undefined : new CodePoints(text);
  for (const wire of list) {
    if (!isObject(wire) || points === undefined) return undefined;
    annotations.push(decodeAnnotation(wire, points, context));
  }
  return annotations;
}

const START = "start_index";
const END = "end_index";

/** One citation; a position within the text so far is told exactly. */
export function decodeAnnotation(wire: JsonObject, points: CodePoints, context: DecodeContext): Annotation {
  const row = TYPES.find(({ type }) => type === wire["type"]);
  const annotation: Annotation = { kind: row?.kind ?? "other" };
  const known: string[] = [];
  if (row !== undefined) {
    known.push("type");
    if (row.type !== plainType(annotation.kind)?.type) storeForm(annotation, context.dialect, "type", row.type);
    for (const [field, name] of row.fields) {
      const value = wire[name];
      if (typeof value !== "string") continue;
      annotation[field] = value;
      known.push(name);
    }
    const { [START]: start, [END]: end } = wire;
    if (row.span && isIndex(start) && isIndex(end)) {
      annotation.span = { start: points.units(start), end: points.units(end) };
      known.push(START, END);
    }
    const expected = row.fields.map(([, name]) => name);
    noteAbsent(annotation, wire, row.span ? [...expected, START, END] : expected, context);
  } else storeForm(annotation, context.dialect, "type", "own");
  keepOthers(annotation, wire, known, context);
  return annotation;
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function plainType(kind: string): (typeof TYPES)[number] | undefined {
  return TYPES.find((row) => row.kind === kind);
}

const CARRIED = ["kind", "extra", "seals"];

/** The trail stands at the text. */
export function encodeAnnotations({ annotations = [], text }: TextPart, writing: Writing): JsonObject[] {
  const { context } = writing;
  if (annotations.length === 0) return [];
  const points = new CodePoints(text);
  const list = context.pathTracker.each("annotations", annotations, (annotation) => {
    const wire = encodeAnnotation(annotation, points, writing);
    if (wire === undefined) context.report.addLoss("field-unsaid");
    return wire;
  });
  return list.filter((wire) => wire !== undefined);
}

/** One citation; undefined where it cannot be said. The trail stands at it. */
export function encodeAnnotation(
  annotation: Annotation,
  points: CodePoints,
  { context }: Writing,
): JsonObject | undefined {
  const { type } = spelled(annotation, context);
  const row = TYPES.find((each) => each.type === type && each.kind === annotation.kind) ?? plainType(annotation.kind);
  const wire: JsonObject = {};
  const carried = [...CARRIED];
  if (row !== undefined) {
    wire["type"] = row.type;
    for (const [field, name] of row.fields) {
      carried.push(field);
      const value = annotation[field];
      if (value !== undefined) wire[name] = value;
      else if (!isUnsaid(annotation, name, context)) {
        context.report.addLoss("field-filled", field);
        wire[name] = "";
      }
    }
    if (row.span) {
      encodeSpan(annotation, points, wire, context);
      carried.push("span");
    }
  } else if (annotation.kind !== "other" || type !== "own") return undefined;
  reportUnsupportedFields(annotation, new Set(carried), context, "field-unsaid");
  reportNotPortableResidue(annotation, context);
  reportSeals(annotation, context);
  restoreResidue(wire, annotation, context);
  return wire;
}

/** Whether the wire had no such field, or something else in it. */
function isUnsaid(annotation: Annotation, field: string, context: Writing["context"]): boolean {
  return wasAbsent(annotation, field, context) || annotation.extra?.[context.dialect]?.[field] !== undefined;
}

/** Where a citation stands; one that does not say so is of the whole text. */
function encodeSpan(annotation: Annotation, points: CodePoints, wire: JsonObject, context: Writing["context"]): void {
  const { span } = annotation;
  if (span === undefined) {
    if (isUnsaid(annotation, START, context) || isUnsaid(annotation, END, context)) return;
    context.report.addLoss("field-filled", "span");
  }
  wire[START] = points.points(span?.start ?? 0);
  wire[END] = points.points(span?.end ?? points.length);
}
