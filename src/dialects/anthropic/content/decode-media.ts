// Decodes Anthropic images, documents and search results.
import type { JsonObject } from "../../../model/json/index.ts";
import type { FilePart, ImagePart } from "../../../model/parts.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeForm, storeResidue } from "../../kit/residue/residue.ts";
import { toIssuer } from "../../kit/seals/seals.ts";
import { storeRest } from "./cache-control.ts";
import type { AnthropicDecodeState } from "./decode-state.ts";

const URL_FIELDS: ReadonlySet<string> = new Set(["type", "url"]);
const FILE_FIELDS: ReadonlySet<string> = new Set(["type", "file_id"]);
const DATA_FIELDS: ReadonlySet<string> = new Set(["type", "data", "media_type"]);
const UNTYPED_DATA_FIELDS: ReadonlySet<string> = new Set(["type", "data"]);
const CONTENT_FIELDS: ReadonlySet<string> = new Set(["type", "content"]);

export function decodeImage(block: JsonObject, state: AnthropicDecodeState): ImagePart | undefined {
  const part: ImagePart = { type: "image" };
  if (!decodeSource(block["source"], part, state)) return undefined;
  return storeRest(part, block, state.context, "type", "source");
}

export function decodeDocument(block: JsonObject, state: AnthropicDecodeState): FilePart | undefined {
  const { source, title } = block;
  const part: FilePart = { type: "file" };
  if (!decodeSource(source, part, state)) return undefined;
  if (typeof title === "string") part.name = title;
  return storeRest(part, block, state.context, "type", "source", part.name !== undefined && "title");
}

/** Decodes a search result as a file with text content. Its `source` has no canonical field and becomes residue. */
export function decodeSearchResult(block: JsonObject, state: AnthropicDecodeState): FilePart | undefined {
  const { content, title } = block;
  if (!Array.isArray(content)) return undefined;
  const part: FilePart = { type: "file", content: state.decodeBlocks(content, "content", state) };
  if (typeof title === "string") part.name = title;
  storeForm(part, state.context.dialect, "type", "search_result");
  return storeRest(part, block, state.context, "type", "content", part.name !== undefined && "title");
}

/** Decodes the source of an image or document into `part`; returns false if the source is unknown or incomplete. */
function decodeSource(source: unknown, part: ImagePart | FilePart, state: AnthropicDecodeState): boolean {
  if (!isObject(source)) return false;
  const decoded = decodeKnownSource(source, part, state);
  if (decoded === undefined) return false;
  storeResidue(part, state.context.dialect, unknownFields(source, decoded), "source");
  return true;
}

/**
 * Decodes a source into `part`; returns the names of the decoded fields, or undefined if the source is unknown or
 * incomplete.
 */
function decodeKnownSource(
  source: JsonObject,
  part: ImagePart | FilePart,
  state: AnthropicDecodeState,
): ReadonlySet<string> | undefined {
  const { type, url, data, file_id: fileId } = source;
  if (type === "url" && typeof url === "string") {
    part.url = url;
    return URL_FIELDS;
  }
  if (type === "file" && typeof fileId === "string") {
    part.fileId = fileId;
    part.issuer = toIssuer(state.context);
    return FILE_FIELDS;
  }
  if (type === "content") return decodeContentSource(source, part, state);
  const isText = type === "text" && part.type === "file";
  if ((type !== "base64" && !isText) || typeof data !== "string") return undefined;
  part[isText ? "text" : "data"] = data;
  if (typeof source["media_type"] === "string") {
    part.mimeType = source["media_type"];
    return DATA_FIELDS;
  }
  // Without this form, the encoder would add the media type `text/plain` to a text that had none.
  if (isText) storeForm(part, state.context.dialect, "media_type", "none");
  return UNTYPED_DATA_FIELDS;
}

function decodeContentSource(
  { content }: JsonObject,
  part: ImagePart | FilePart,
  state: AnthropicDecodeState,
): ReadonlySet<string> | undefined {
  const { pathTracker, dialect } = state.context;
  if (part.type !== "file") return undefined;
  if (typeof content === "string") {
    part.content = [{ type: "text", text: content }];
    storeForm(part, dialect, "content", "string");
  } else if (Array.isArray(content)) {
    pathTracker.enter("source");
    part.content = state.decodeBlocks(content, "content", state);
    pathTracker.leave();
  } else return undefined;
  return CONTENT_FIELDS;
}
