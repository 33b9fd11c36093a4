// Images, documents, video, audio and search results as they are read.
import type { JsonObject } from "../../model/json.ts";
import type { FilePart, MediaPart } from "../../model/parts.ts";
import { isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { readBytes } from "./bytes.ts";
import { keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";
import type { MediaBlock } from "./terms.ts";
import { formatOf, mimeOf } from "./terms.ts";

/** `inner` is where the block's own fields stand. */
export function decodeMedia(
  kind: MediaBlock,
  wire: JsonObject,
  inner: readonly string[],
  reading: Reading,
): MediaPart | undefined {
  const { dialect } = reading.context;
  const { format, name, source } = wire;
  if (!isObject(source)) return undefined;
  const part: MediaPart = { type: kind === "document" ? "file" : kind };
  if (!readSource(source, part, inner, reading)) return undefined;
  const isNamed = kind === "document" && typeof name === "string";
  if (isNamed) part.name = name;
  const mimeType = typeof format === "string" ? mimeOf(kind, format) : undefined;
  if (mimeType !== undefined && typeof format === "string") {
    part.mimeType = mimeType;
    if (formatOf(kind, mimeType) !== format) storeForm(part, dialect, "format", format);
  }
  return keepRest(part, wire, dialect, inner, "source", isNamed && "name", mimeType !== undefined && "format");
}

/** Reads where media are; false where that is nothing known. */
function readSource(source: JsonObject, part: MediaPart, inner: readonly string[], reading: Reading): boolean {
  const { dialect, pathTracker: trail } = reading.context;
  const { bytes, s3Location, text, content } = source;
  const within = [...inner, "source"];
  const data = readBytes(bytes);
  if (data !== undefined) {
    part.data = data.data;
    if (data.form !== undefined) storeForm(part, dialect, "bytes", data.form);
    keepRest(part, source, dialect, within, "bytes");
  } else if (isObject(s3Location) && typeof s3Location["uri"] === "string") {
    part.url = s3Location["uri"];
    if (!part.url.startsWith("s3://")) storeForm(part, dialect, "url", "s3");
    keepRest(part, s3Location, dialect, [...within, "s3Location"], "uri");
    keepRest(part, source, dialect, within, "s3Location");
  } else if (part.type === "file" && typeof text === "string") {
    part.text = text;
    keepRest(part, source, dialect, within, "text");
  } else if (part.type === "file" && Array.isArray(content)) {
    for (const step of within) trail.enter(step);
    part.content = reading.blocks(content, "content", reading);
    trail.leave(within.length);
    keepRest(part, source, dialect, within, "content");
  } else return false;
  return true;
}

const SEARCH_RESULT = "searchResult";

/** A search result is a document made of texts; where it was found has no word. */
export function decodeSearchResult(wire: JsonObject, reading: Reading): FilePart | undefined {
  const { context } = reading;
  const { content, title } = wire;
  if (!Array.isArray(content)) return undefined;
  context.pathTracker.enter(SEARCH_RESULT);
  const part: FilePart = { type: "file", content: reading.blocks(content, "content", reading) };
  context.pathTracker.leave();
  const isNamed = typeof title === "string";
  if (isNamed) part.name = title;
  storeForm(part, context.dialect, "type", SEARCH_RESULT);
  return keepRest(part, wire, context.dialect, [SEARCH_RESULT], "content", isNamed && "title");
}
