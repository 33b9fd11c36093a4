// Parts that stand in a list on the wire: text, media, and whatever else is there.
import type { JsonObject } from "../../model/json.ts";
import type { Part, RefusalPart, TextPart } from "../../model/parts.ts";
import { restOf } from "../read.ts";
import { keepFields, reportForeignResidue, reportUncarried } from "../residue.ts";
import { Hints, restoreOrReport } from "./hints.ts";
import type { FlatContext, FlatLoss } from "./losses.ts";
import { decodeMedia, encodeMedia, isMediaType } from "./media.ts";
import { FLAT } from "./names.ts";
import { encodeOpaque, placedOpaque } from "./opaque.ts";
import { reportSeals } from "./seals.ts";
import type { FlatText } from "./types.ts";

const TEXT_FIELDS = new Set(["type", "text"]);

/** A part of `content`, of a message or of a result. */
export function decodeContentPart(wire: JsonObject): Part {
  const { type, text } = wire;
  if (type === "text" && typeof text === "string") return textPart("text", text, wire);
  return (isMediaType(type) ? decodeMedia(type, wire) : undefined) ?? placedOpaque(wire, "content");
}

/** A part of `refusal`. */
export function decodeRefusalPart(wire: JsonObject): Part {
  const { type, text } = wire;
  return type === "text" && typeof text === "string" ? textPart("refusal", text, wire) : placedOpaque(wire, "refusal");
}

function textPart(type: "text" | "refusal", text: string, wire: JsonObject): TextPart | RefusalPart {
  const part: TextPart | RefusalPart = { type, text };
  keepFields(part, FLAT, restOf(wire, TEXT_FIELDS));
  return part;
}

export function encodeText(part: TextPart | RefusalPart, context: FlatContext): JsonObject {
  const wire: JsonObject = { type: "text", text: part.text } satisfies FlatText;
  restoreOrReport(wire, part, FLAT, context);
  return wire;
}

const MEDIA = ["mimeType", "name", "url", "data", "text", "content", "fileId", "path", "blob"];
const TOOL = ["toolCallId", "toolName", "format", "executor", "tool"];

/** What the encoders carry or report by themselves, by type of part. */
const CARRIED: Readonly<Record<string, ReadonlySet<string>>> = {
  text: fields("text"),
  refusal: fields("text"),
  reasoning: fields("text", "summary"),
  "tool-call": fields("input", "inputText", "invalid", ...TOOL),
  "tool-result": fields("isError", "output", "content", ...TOOL),
  image: fields(...MEDIA),
  audio: fields(...MEDIA),
  video: fields(...MEDIA),
  file: fields(...MEDIA),
  opaque: fields("dialect", "value"),
};

function fields(...names: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", ...names]);
}

const CODES: Readonly<Partial<Record<string, FlatLoss>>> = { cache: "bookkeeping", size: "bookkeeping" };

/** Reports the fields of a part that no encoder here looks at. */
export function reportUnsaid(part: Part, context: FlatContext): void {
  reportUncarried(part, CARRIED[part.type] ?? fields(), context, "field-unsaid", CODES);
}

/** A part inside of a result; undefined, and reported, where it cannot stand there. Seals do not travel from there. */
export function encodeNested(part: Part, context: FlatContext): JsonObject | undefined {
  const hints = new Hints(part);
  const wire = encodeNestedContent(part, hints, context);
  if (wire === undefined) return undefined;
  hints.reportStale(context);
  reportUnsaid(part, context);
  reportForeignResidue(part, context);
  reportSeals(part, [], context);
  return wire;
}

function encodeNestedContent(part: Part, hints: Hints, context: FlatContext): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return encodeText(part, context);
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, hints, context);
    case "opaque":
      return encodeOpaque(part, hints, context)?.wire;
    default:
      context.report.lose("part-unsayable");
      return undefined;
  }
}
