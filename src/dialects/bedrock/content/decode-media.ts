// Decodes Bedrock images, documents, video, audio and search results.
import type { JsonObject } from "../../../model/json/index.ts";
import type { FilePart, MediaPart } from "../../../model/parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import type { MediaBlockKind } from "../terms.ts";
import { findFormat, findMimeType } from "../terms.ts";
import { decodeBytes } from "./bytes.ts";
import { storeRest } from "./cache-point.ts";
import type { BedrockDecodeState } from "./decode-state.ts";

/**
 * Decodes a media block; undefined if its source is missing or unknown. `inner` is the path of keys from the block to
 * `wire`.
 */
export function decodeMedia(
  kind: MediaBlockKind,
  wire: JsonObject,
  inner: readonly string[],
  state: BedrockDecodeState,
): MediaPart | undefined {
  const { dialect } = state.context;
  const { format, name, source } = wire;
  if (!isObject(source)) return undefined;
  const part: MediaPart = { type: kind === "document" ? "file" : kind };
  if (!decodeSource(source, part, inner, state)) return undefined;
  const hasName = kind === "document" && typeof name === "string";
  if (hasName) part.name = name;
  const mimeType = typeof format === "string" ? findMimeType(kind, format) : undefined;
  if (mimeType !== undefined && typeof format === "string") {
    part.mimeType = mimeType;
    if (findFormat(kind, mimeType) !== format) storeForm(part, dialect, "format", format);
  }
  return storeRest(part, wire, dialect, inner, "source", hasName && "name", mimeType !== undefined && "format");
}

/** Decodes the source of a media block into `part`; returns false if the kind of source is unknown. */
function decodeSource(
  source: JsonObject,
  part: MediaPart,
  inner: readonly string[],
  state: BedrockDecodeState,
): boolean {
  const { dialect, pathTracker } = state.context;
  const { bytes, s3Location, text, content } = source;
  const path = [...inner, "source"];
  const decodedBytes = decodeBytes(bytes);
  if (decodedBytes !== undefined) {
    part.data = decodedBytes.data;
    if (decodedBytes.form !== undefined) storeForm(part, dialect, "bytes", decodedBytes.form);
    storeRest(part, source, dialect, path, "bytes");
  } else if (isObject(s3Location) && typeof s3Location["uri"] === "string") {
    part.url = s3Location["uri"];
    if (!part.url.startsWith("s3://")) storeForm(part, dialect, "url", "s3");
    storeRest(part, s3Location, dialect, [...path, "s3Location"], "uri");
    storeRest(part, source, dialect, path, "s3Location");
  } else if (part.type === "file" && typeof text === "string") {
    part.text = text;
    storeRest(part, source, dialect, path, "text");
  } else if (part.type === "file" && Array.isArray(content)) {
    for (const step of path) pathTracker.enter(step);
    part.content = state.decodeBlocks(content, "content", state);
    pathTracker.leave(path.length);
    storeRest(part, source, dialect, path, "content");
  } else return false;
  return true;
}

const SEARCH_RESULT = "searchResult";

/**
 * Decodes a search result as a file with text content; undefined if it has no content. Its `source` becomes residue.
 */
export function decodeSearchResult(wire: JsonObject, state: BedrockDecodeState): FilePart | undefined {
  const { context } = state;
  const { content, title } = wire;
  if (!Array.isArray(content)) return undefined;
  context.pathTracker.enter(SEARCH_RESULT);
  const part: FilePart = { type: "file", content: state.decodeBlocks(content, "content", state) };
  context.pathTracker.leave();
  const hasTitle = typeof title === "string";
  if (hasTitle) part.name = title;
  storeForm(part, context.dialect, "type", SEARCH_RESULT);
  return storeRest(part, wire, context.dialect, [SEARCH_RESULT], "content", hasTitle && "title");
}
