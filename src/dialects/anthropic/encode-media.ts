// Media on their way out: an image or a document with its source.
import { readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json.ts";
import type { FilePart, ImagePart, MediaPart, MediaSources } from "../../model/parts.ts";
import { readForm, isSealFor } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import type { Position, Writing } from "./writing.ts";
import { closeBlock } from "./writing.ts";

const IMAGES: ReadonlySet<unknown> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const PDF = "application/pdf";
const PLAIN = "text/plain";
const TEXTUAL = /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|x-sh|sql)$/i;

/** How the base64 of each type begins. */
const BEGINNINGS: readonly (readonly [start: string, mimeType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi", PDF],
];

/** The sources that can be said, in the order in which they are looked for. */
const SOURCES = ["data", "url", "fileId", "text", "content"] as const;
const CARRIED: readonly string[] = ["type", "extra", "cache", "seals"];

export function encodeMedia(part: MediaPart, spot: Position, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { report } = context;
  const isElsewhere = spot === "system" || (spot === "document" && part.type !== "image");
  if (part.type === "audio" || part.type === "video" || (isElsewhere && context.repair)) {
    report.addLoss("part-unsayable");
    return undefined;
  }
  if (spot === "assistant" && context.repair) {
    report.addLoss("media-unfit");
    return undefined;
  }
  if (part.fileId !== undefined && part.issuer !== undefined && !isSealFor(part.issuer, context)) {
    report.addLoss("file-id");
    return undefined;
  }
  const from = SOURCES.find((source) => part[source] !== undefined);
  if (from === undefined || (part.type === "image" && (from === "text" || from === "content"))) {
    report.addLoss("media-elsewhere");
    return undefined;
  }
  return encodeBlock(part, from, writing);
}

function encodeBlock(
  part: ImagePart | FilePart,
  from: (typeof SOURCES)[number],
  writing: Writing,
): JsonObject | undefined {
  const { context } = writing;
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const isDocument = part.type === "file";
  const isSearch = isDocument && form["type"] === "search_result";
  const carried = new Set([...CARRIED, from, from === "fileId" ? "issuer" : ""]);
  if (from === "data" || from === "text") carried.add("mimeType");
  if (isDocument) carried.add("name");
  const wire: JsonObject = { type: isDocument ? "document" : "image" };
  if (isSearch && from === "content") {
    wire["type"] = "search_result";
    wire["content"] = writing.blocks(part.content ?? [], "content", "document", writing);
  } else {
    if (isSearch) context.report.addLoss("form-stale", ["extra", context.dialect]);
    const source = from === "content" ? contentSource(part, form, writing) : plainSource(part, from, form, writing);
    if (source === undefined) return undefined;
    wire["source"] = source;
  }
  if (isDocument && part.name !== undefined) wire["title"] = part.name;
  reportSeals(part, context);
  return closeBlock(wire, part, carried, writing, "source");
}

function contentSource({ content = [] }: MediaSources, form: JsonObject, writing: Writing): JsonObject {
  const blocks = writing.blocks(content, "content", "document", writing);
  const [only] = blocks;
  const isText = form["content"] === "string" && blocks.length === 1 && only?.["type"] === "text";
  if (isText && Object.keys(only).length === 2) return { type: "content", content: only["text"] ?? "" };
  return { type: "content", content: blocks };
}

function plainSource(
  part: ImagePart | FilePart,
  from: Exclude<(typeof SOURCES)[number], "content">,
  form: JsonObject,
  writing: Writing,
): JsonObject | undefined {
  const { context } = writing;
  const value = part[from] ?? "";
  switch (from) {
    case "url": {
      const inline = context.repair ? readDataUrl(value) : undefined;
      if (inline === undefined) return { type: "url", url: value };
      context.report.addLoss("media-inlined", "url");
      return dataSource({ ...part, ...inline }, inline.data, writing);
    }
    case "fileId":
      return { type: "file", file_id: value };
    case "text":
      return textSource(value, form["media_type"] === "none" ? undefined : part.mimeType, form, writing);
    case "data":
      return dataSource(part, value, writing);
  }
}

function textSource(text: string, mimeType: string | undefined, form: JsonObject, { context }: Writing): JsonObject {
  if (mimeType === undefined && form["media_type"] === "none") return { type: "text", data: text };
  const isOther = mimeType !== undefined && mimeType !== PLAIN;
  if (isOther && context.repair) context.report.addLoss("media-type", "mimeType");
  return { type: "text", media_type: isOther && !context.repair ? mimeType : PLAIN, data: text };
}

/** Bytes go out as what they are: an image, a PDF, or the text that they spell. */
function dataSource(part: ImagePart | FilePart, data: string, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const source: JsonObject = { type: "base64" };
  let { mimeType } = part;
  if (context.repair) {
    if (mimeType === undefined) {
      mimeType = BEGINNINGS.find(([start]) => data.startsWith(start))?.[1];
      if (mimeType !== undefined) context.report.addLoss("media-type");
    }
    if (part.type === "file" && mimeType !== undefined && TEXTUAL.test(mimeType)) {
      context.report.addLoss("media-inlined", part.data === undefined ? "url" : "data");
      return textSource(textOf(data), mimeType, {}, writing);
    }
    if (part.type === "file" ? mimeType !== PDF : !IMAGES.has(mimeType)) {
      context.report.addLoss("media-unfit");
      return undefined;
    }
  }
  if (mimeType !== undefined) source["media_type"] = mimeType;
  source["data"] = data;
  return source;
}

/** The text whose UTF-8 bytes these are. */
function textOf(data: string): string {
  let binary: string;
  try {
    binary = atob(data);
  } catch {
    // It says that it is base64 of a text, and is the text itself.
    return data;
  }
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
