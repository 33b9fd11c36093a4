// Decodes and encodes citations. The wire counts code points; the canonical model counts UTF-16 units.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Annotation, TextPart } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { CodePointIndex } from "../../kit/fields/code-points.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { readOwnForm, wasOmitted } from "../encode-state.ts";

type CitationField = "url" | "title" | "fileId";

/** The fields of each citation type. The first type of a kind is the default type for encoding that kind. */
const CITATION_TYPES: readonly {
  type: string;
  kind: Annotation["kind"];
  fields: [field: CitationField, wire: string][];
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

/** Returns the decoded citations; undefined if an entry is not an object. */
export function decodeAnnotations(
  list: readonly JsonValue[],
  text: string,
  context: DecodeContext,
): Annotation[] | undefined {
  const annotations: Annotation[] = [];
  const points = list.length === 0 ? undefined : new CodePointIndex(text);
  for (const wire of list) {
    if (!isObject(wire) || points === undefined) return undefined;
    annotations.push(decodeAnnotation(wire, points, context));
  }
  return annotations;
}

const START_INDEX = "start_index";
const END_INDEX = "end_index";

/** Decodes a citation. `points` converts positions in the text that has the citation to UTF-16 units. */
export function decodeAnnotation(wire: JsonObject, points: CodePointIndex, context: DecodeContext): Annotation {
  const row = CITATION_TYPES.find(({ type }) => type === wire["type"]);
  const annotation: Annotation = { kind: row?.kind ?? "other" };
  const known: string[] = [];
  if (row !== undefined) {
    known.push("type");
    if (row.type !== findPlainType(annotation.kind)?.type) storeForm(annotation, context.dialect, "type", row.type);
    for (const [field, name] of row.fields) {
      const value = wire[name];
      if (typeof value !== "string") continue;
      annotation[field] = value;
      known.push(name);
    }
    const { [START_INDEX]: start, [END_INDEX]: end } = wire;
    if (row.span && isIndex(start) && isIndex(end)) {
      annotation.span = { start: points.toUnitOffset(start), end: points.toUnitOffset(end) };
      known.push(START_INDEX, END_INDEX);
    }
    const expected = row.fields.map(([, name]) => name);
    storeAbsentFields(annotation, wire, row.span ? [...expected, START_INDEX, END_INDEX] : expected, context);
  } else storeForm(annotation, context.dialect, "type", "own");
  storeUnknownFields(annotation, wire, known, context);
  return annotation;
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function findPlainType(kind: string): (typeof CITATION_TYPES)[number] | undefined {
  return CITATION_TYPES.find((row) => row.kind === kind);
}

const ALWAYS_SUPPORTED = ["kind", "extra", "seals"];

/** Encodes the citations of a text. The path tracker must be at the text. */
export function encodeAnnotations({ annotations = [], text }: TextPart, state: ResponsesEncodeState): JsonObject[] {
  const { context } = state;
  if (annotations.length === 0) return [];
  const points = new CodePointIndex(text);
  const list = context.pathTracker.each("annotations", annotations, (annotation) => {
    const wire = encodeAnnotation(annotation, points, state);
    if (wire === undefined) context.report.addLoss("field-unsupported");
    return wire;
  });
  return list.filter((wire) => wire !== undefined);
}

/** Encodes a citation. Returns undefined if Responses has no type for it. The path tracker must be at the citation. */
export function encodeAnnotation(
  annotation: Annotation,
  points: CodePointIndex,
  { context }: ResponsesEncodeState,
): JsonObject | undefined {
  const { type } = readOwnForm(annotation, context);
  const row =
    CITATION_TYPES.find((each) => each.type === type && each.kind === annotation.kind) ??
    findPlainType(annotation.kind);
  const wire: JsonObject = {};
  const supported = [...ALWAYS_SUPPORTED];
  if (row !== undefined) {
    wire["type"] = row.type;
    for (const [field, name] of row.fields) {
      supported.push(field);
      const value = annotation[field];
      if (value !== undefined) wire[name] = value;
      else if (!wasOmitted(annotation, name, context)) {
        context.report.addLoss("field-synthesized", field);
        wire[name] = "";
      }
    }
    if (row.span) {
      encodeSpan(annotation, points, wire, context);
      supported.push("span");
    }
  } else if (annotation.kind !== "other" || type !== "own") return undefined;
  reportUnsupportedFields(annotation, new Set(supported), context, "field-unsupported");
  reportNotPortableResidue(annotation, context);
  reportUnsentSeals(annotation, context);
  restoreResidue(wire, annotation, context);
  return wire;
}

/**
 * Encodes the span of a citation. A citation without a span gets the whole text as its span, because the wire requires
 * one.
 */
function encodeSpan(
  annotation: Annotation,
  points: CodePointIndex,
  wire: JsonObject,
  context: ResponsesEncodeState["context"],
): void {
  const { span } = annotation;
  if (span === undefined) {
    if (wasOmitted(annotation, START_INDEX, context) || wasOmitted(annotation, END_INDEX, context)) return;
    context.report.addLoss("field-synthesized", "span");
  }
  wire[START_INDEX] = points.toCodePointOffset(span?.start ?? 0);
  wire[END_INDEX] = points.toCodePointOffset(span?.end ?? points.length);
}
