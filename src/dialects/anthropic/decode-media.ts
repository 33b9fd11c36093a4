// Images, documents and search results as they are read.
import type { JsonObject } from "../../model/json.ts";
import type { FilePart, ImagePart } from "../../model/parts.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import { keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";

const URL_FIELDS: ReadonlySet<string> = new Set(["type", "url"]);
const FILE_FIELDS: ReadonlySet<string> = new Set(["type", "file_id"]);
const DATA_FIELDS: ReadonlySet<string> = new Set(["type", "data", "media_type"]);
const TYPELESS: ReadonlySet<string> = new Set(["type", "data"]);
const CONTENT_FIELDS: ReadonlySet<string> = new Set(["type", "content"]);

export function decodeImage(block: JsonObject, reading: Reading): ImagePart | undefined {
  const part: ImagePart = { type: "image" };
  if (!readSource(block["source"], part, reading)) return undefined;
  return keepRest(part, block, reading.context, "type", "source");
}

export function decodeDocument(block: JsonObject, reading: Reading): FilePart | undefined {
  const { source, title } = block;
  const part: FilePart = { type: "file" };
  if (!readSource(source, part, reading)) return undefined;
  if (typeof title === "string") part.name = title;
  return keepRest(part, block, reading.context, "type", "source", part.name !== undefined && "title");
}

/** A search result is a document made of texts; where it was found has no word. */
export function decodeSearchResult(block: JsonObject, reading: Reading): FilePart | undefined {
  const { content, title } = block;
  if (!Array.isArray(content)) return undefined;
  const part: FilePart = { type: "file", content: reading.blocks(content, "content", reading) };
  if (typeof title === "string") part.name = title;
  storeForm(part, reading.context.dialect, "type", "search_result");
  return keepRest(part, block, reading.context, "type", "content", part.name !== undefined && "title");
}

/** Reads where media are; false where that is nothing known. */
function readSource(source: unknown, part: ImagePart | FilePart, reading: Reading): boolean {
  if (!isObject(source)) return false;
  const known = takeSource(source, part, reading);
  if (known === undefined) return false;
  storeResidue(part, reading.context.dialect, unknownFields(source, known), "source");
  return true;
}

/** Takes over the one field that holds the media; the fields that are thereby said. */
function takeSource(source: JsonObject, part: ImagePart | FilePart, reading: Reading): ReadonlySet<string> | undefined {
  const { type, url, data, file_id: fileId } = source;
  if (type === "url" && typeof url === "string") {
    part.url = url;
    return URL_FIELDS;
  }
  if (type === "file" && typeof fileId === "string") {
    part.fileId = fileId;
    part.issuer = issuerOf(reading.context);
    return FILE_FIELDS;
  }
  if (type === "content") return takeContent(source, part, reading);
  const isText = type === "text" && part.type === "file";
  if ((type !== "base64" && !isText) || typeof data !== "string") return undefined;
  part[isText ? "text" : "data"] = data;
  if (typeof source["media_type"] === "string") {
    part.mimeType = source["media_type"];
    return DATA_FIELDS;
  }
  // A text has the one type that it can have, unless it said none.
  if (isText) storeForm(part, reading.context.dialect, "media_type", "none");
  return TYPELESS;
}

function takeContent(
  { content }: JsonObject,
  part: ImagePart | FilePart,
  reading: Reading,
): ReadonlySet<string> | undefined {
  const { pathTracker: trail, dialect } = reading.context;
  if (part.type !== "file") return undefined;
  if (typeof content === "string") {
    part.content = [{ type: "text", text: content }];
    storeForm(part, dialect, "content", "string");
  } else if (Array.isArray(content)) {
    trail.enter("source");
    part.content = reading.blocks(content, "content", reading);
    trail.leave();
  } else return undefined;
  return CONTENT_FIELDS;
}
