// Media on their way out: an image, a document, video or audio with its source.
import { readDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { MediaPart } from "../../model/parts.ts";
import { readForm } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import { textOf, writeBytes } from "./bytes.ts";
import type { MediaBlock } from "./terms.ts";
import { formatOf, isTaken, mimeOf } from "./terms.ts";
import type { Position, Writing } from "./writing.ts";
import { closeBlock } from "./writing.ts";

const TEXTUAL = /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|x-sh|sql)$/i;
/** Other names of formats that the target takes. */
const ALIASES: Readonly<Record<string, string>> = {
  "image/jpg": "jpeg",
  "audio/mp3": "mp3",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/x-m4a": "m4a",
  "audio/x-flac": "flac",
};
/** How the base64 of each type begins. */
const BEGINNINGS: readonly (readonly [start: string, format: string])[] = [
  ["iVBORw0KGgo", "png"],
  ["/9j/", "jpeg"],
  ["R0lGOD", "gif"],
  ["UklGR", "webp"],
  ["JVBERi", "pdf"],
];

/** The sources that can be said, in the order in which they are looked for. */
const SOURCES = ["data", "url", "text", "content"] as const;
type Source = (typeof SOURCES)[number];
const CARRIED = ["type", "mimeType", "extra", "cache", "seals"];

function kindOf({ type }: MediaPart): MediaBlock {
  return type === "file" ? "document" : type;
}

export function encodeMedia(part: MediaPart, spot: Position, writing: Writing): JsonObject | undefined {
  const { report, repair, dialect } = writing.context;
  const kind = kindOf(part);
  const form = part.extra === undefined ? {} : readForm(part, dialect);
  const isElsewhere = spot === "system" || spot === "document" || (spot === "result" && kind === "audio");
  if (isElsewhere && repair) {
    report.addLoss("part-unsayable");
    return undefined;
  }
  if (spot === "assistant" && repair) {
    report.addLoss("media-unfit");
    return undefined;
  }
  if (part.fileId !== undefined) {
    report.addLoss("file-id");
    return undefined;
  }
  const from = SOURCES.find((source) => part[source] !== undefined);
  const isText = from === "text" || from === "content";
  if (from === undefined || (isText && kind !== "document")) {
    report.addLoss("media-elsewhere");
    return undefined;
  }
  if (from === "content" && form["type"] === "searchResult") return encodeSearchResult(part, writing);
  return encodeBlock(part, kind, from, form, writing);
}

function encodeSearchResult(part: MediaPart, writing: Writing): JsonObject {
  const content = writing.blocks(part.content ?? [], "content", "document", writing);
  const wire: JsonObject = part.name === undefined ? { content } : { title: part.name, content };
  const carried = new Set(["type", "extra", "cache", "seals", "content", "name"]);
  reportSeals(part, writing.context);
  return closeBlock({ searchResult: wire }, part, carried, writing);
}

function encodeBlock(
  part: MediaPart,
  kind: MediaBlock,
  from: Source,
  form: JsonObject,
  writing: Writing,
): JsonObject | undefined {
  const { context } = writing;
  const { report, repair, dialect } = context;
  const inline = from === "url" && repair ? readDataUrl(part.url ?? "") : undefined;
  if (inline !== undefined) report.addLoss("media-inlined", "url");
  const meant = inline === undefined ? part : { ...part, ...inline };
  const format = encodeFormat(meant, kind, form, writing);
  if (format === false) return undefined;
  // Bytes that are a text of a type that nobody takes are that text.
  const isSpelled = repair && format === "txt" && meant.data !== undefined && meant.mimeType !== "text/plain";
  const source = isSpelled
    ? { text: textOf(meant.data ?? "") }
    : encodeSource(meant, inline === undefined ? from : "data", form, writing);
  if (source === undefined) return undefined;
  if (isSpelled && inline === undefined) report.addLoss("media-inlined", "data");
  if (form["type"] === "searchResult") report.addLoss("form-stale", ["extra", dialect]);
  const block: JsonObject = {};
  if (format !== undefined) block["format"] = format;
  const carried = new Set([...CARRIED, from]);
  if (kind === "document") {
    carried.add("name");
    const name = documentName(part, writing);
    if (name !== undefined) block["name"] = name;
  }
  block["source"] = source;
  reportSeals(part, context);
  const isGuarded = form["type"] === "guardContent" && kind === "image";
  return closeBlock(isGuarded ? { guardContent: { image: block } } : { [kind]: block }, part, carried, writing);
}

/** The word for a type; undefined where it goes unsaid, false where the target would refuse it. */
function encodeFormat(
  part: MediaPart,
  kind: MediaBlock,
  form: JsonObject,
  { context }: Writing,
): string | undefined | false {
  const { report, repair, dialect } = context;
  const { mimeType, data } = part;
  const { format: spelled } = form;
  // A word that was kept as it is says it already.
  const kept = (part.extra?.[dialect]?.[kind] as JsonObject | undefined)?.["format"];
  if (mimeType === undefined) {
    if (!repair || kept !== undefined || (kind === "document" && data === undefined)) return undefined;
    const format = BEGINNINGS.find(([start]) => data?.startsWith(start) === true)?.[1];
    if (format !== undefined && isTaken(kind, format)) {
      report.addLoss("media-type");
      return format;
    }
    report.addLoss("media-unfit");
    return false;
  }
  if (typeof spelled === "string" && mimeOf(kind, spelled) === mimeType) return spelled;
  const format = formatOf(kind, mimeType);
  if (!repair) {
    if (format === undefined) report.addLoss("field-unsaid", "mimeType");
    return format;
  }
  if (format !== undefined && isTaken(kind, format)) return format;
  const other = ALIASES[mimeType] ?? (kind === "document" && TEXTUAL.test(mimeType) ? "txt" : undefined);
  if (other !== undefined && isTaken(kind, other)) {
    report.addLoss("media-type", "mimeType");
    return other;
  }
  report.addLoss("media-unfit");
  return false;
}

function encodeSource(part: MediaPart, from: Source, form: JsonObject, writing: Writing): JsonObject | undefined {
  const { report, dialect } = writing.context;
  switch (from) {
    case "data": {
      const data = part.data ?? "";
      const bytes: JsonValue | undefined = writeBytes(data, form["bytes"]);
      if (bytes === undefined) report.addLoss("form-stale", ["extra", dialect]);
      return { bytes: bytes ?? data };
    }
    case "url":
      if (part.url?.startsWith("s3://") === true || form["url"] === "s3")
        return { s3Location: { uri: part.url ?? "" } };
      report.addLoss("media-elsewhere");
      return undefined;
    case "text":
      return { text: part.text ?? "" };
    case "content":
      return { content: writing.blocks(part.content ?? [], "content", "document", writing) };
  }
}

const ODD = /[^a-zA-Z0-9\s\-()[\]]/g;
const MAX_NAME = 200;

/** A name that the target takes; what it takes is never changed. */
function documentName({ name }: MediaPart, writing: Writing): string | undefined {
  const { report, repair } = writing.context;
  if (!repair) return name;
  const fitting = name
    ?.replace(ODD, "-")
    .replace(/\s{2,}/g, " ")
    .slice(0, MAX_NAME);
  if (fitting === undefined || fitting.trim() === "") {
    report.addLoss("document-named", "name");
    writing.unnamed++;
    return `document-${writing.unnamed}`;
  }
  if (fitting !== name) report.addLoss("document-renamed", "name");
  return fitting;
}
