// Files in the AI SDK's prompts: bytes, a URL, a text or a provider's file, tagged with what it is or bare; and the older
// parts of tool results that say the same under other names.
import { dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { MediaPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import {
  encodeMediaType,
  isUrl,
  kindOfMedia,
  mimeOfMedia,
  oneSource,
  readReference,
  writeReference,
} from "./ai-sdk-media.ts";
import { decodeOptions, encodeOptions, reportOthers } from "./ai-sdk-options.ts";
import { isObject, unknownFields } from "./read.ts";
import type { NotPortableLoss } from "./residue.ts";
import { readForm, storeResidue, storeForm, reportUnsupportedFields, restoreResidue } from "./residue.ts";
import type { SealLoss } from "./seals.ts";

export type FileLoss =
  | NotPortableLoss
  | SealLoss
  | "mime-guessed"
  | "media-retyped"
  | "file-id"
  | "media-elsewhere"
  | "field-unsaid"
  | "form-stale"
  | "residue-clash";

type Source = Pick<MediaPart, "url" | "data" | "text" | "fileId" | "issuer">;
/** How a source is written: `{ type, … }`, by itself, as a data URL of either kind, or as the JSON of Node's Buffer. */
type Shape = "tagged" | "bare" | "data-url" | "tagged-data-url" | "buffer";
interface Read {
  source: Source;
  /** Absent for what is no JSON, and cannot be written back as it was. */
  shape?: Shape;
  rest?: JsonObject | undefined;
}

export function base64OfBytes(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

function bytesOf(base64: string): number[] | undefined {
  try {
    const bytes = Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    return base64OfBytes(Uint8Array.from(bytes)) === base64 ? bytes : undefined;
  } catch {
    // No base64 after all.
    return undefined;
  }
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
}

/** A value as the SDK may hold it in memory, where it is no JSON. */
function readObjectInMemory(value: unknown): Source | undefined {
  if (value instanceof Uint8Array) return { data: base64OfBytes(value) };
  if (value instanceof ArrayBuffer) return { data: base64OfBytes(new Uint8Array(value)) };
  return value instanceof URL ? { url: value.href } : undefined;
}

function readSource(value: JsonValue | undefined, mime: string | undefined): Read | undefined {
  const held = readObjectInMemory(value);
  if (held !== undefined) return { source: held };
  if (typeof value === "string") {
    const data = inlineData(value, mime);
    if (data !== undefined) return { source: { data }, shape: "data-url" };
    return { source: isUrl(value) ? { url: value } : { data: value }, shape: "bare" };
  }
  return isObject(value) ? readTagged(value, mime) : undefined;
}

/** The bytes in a data URL that says no more than that and the type. */
function inlineData(url: string, mime: string | undefined): string | undefined {
  const inline = readDataUrl(url);
  if (inline === undefined || inline.mimeType !== mime) return undefined;
  return dataUrl(inline.mimeType, inline.data) === url ? inline.data : undefined;
}

function readTagged(value: JsonObject, mime: string | undefined): Read | undefined {
  const { type } = value;
  if (type === "Buffer" && Array.isArray(value["data"]) && value["data"].every(isByte)) {
    return {
      source: { data: base64OfBytes(Uint8Array.from(value["data"])) },
      shape: "buffer",
      rest: unknownFields(value, new Set(["type", "data"])),
    };
  }
  if (type === "reference") {
    const source = readReference(value["reference"]);
    return source && { source, shape: "tagged", rest: unknownFields(value, new Set(["type", "reference"])) };
  }
  if (type === "data" || type === "url" || type === "text") {
    const inner = value[type];
    const rest = unknownFields(value, new Set(["type", type]));
    const data = type === "url" && typeof inner === "string" ? inlineData(inner, mime) : undefined;
    if (data !== undefined) return { source: { data }, shape: "tagged-data-url", rest };
    if (typeof inner === "string") return { source: { [type]: inner }, shape: "tagged", rest };
    const held = readObjectInMemory(inner);
    return held && { source: held, rest };
  }
  const source = readReference(value);
  return source && { source, shape: "bare" };
}

/** The plain shape: bare where a reader can tell what it is, unless this is a place where all are tagged. */
function plainShape({ url, data }: Source, isTagged: boolean): Shape {
  if (isTagged) return "tagged";
  return (url !== undefined && isUrl(url)) || (data !== undefined && !isUrl(data)) ? "bare" : "tagged";
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const FILE: ReadonlySet<string> = new Set(["type", "data", "mediaType"]);
const IMAGE: ReadonlySet<string> = new Set(["type", "image"]);

/** A file or an image; undefined where nothing can be made of it. `isTagged`: in this place all are. */
export function decodeFile(wire: JsonObject, context: DecodeContext, isTagged = false): MediaPart | undefined {
  const { dialect } = context;
  const isImage = wire["type"] === "image";
  const field = isImage ? "image" : "data";
  const mediaType = wire["mediaType"];
  if (!isImage && typeof mediaType !== "string") return undefined;
  const mime = typeof mediaType === "string" ? mimeOfMedia(mediaType) : undefined;
  const read = readSource(wire[field], mime);
  if (read === undefined) return undefined;
  const part: MediaPart = { type: isImage ? "image" : kindOfMedia(textOf(mediaType)), ...read.source };
  if (mime !== undefined) part.mimeType = mime;
  if (isImage) storeForm(part, dialect, "type", "image");
  else if (isTagged && plainLegacy({ ...part, ...nameIn(wire) }) !== undefined)
    storeForm(part, dialect, "type", "file");
  if (read.shape !== undefined && read.shape !== plainShape(read.source, isTagged)) {
    storeForm(part, dialect, "data", read.shape);
  }
  storeResidue(part, dialect, read.rest, field);
  const known = new Set(isImage ? IMAGE : FILE);
  if (mime !== undefined) known.add("mediaType");
  if (!isImage && typeof wire["filename"] === "string") {
    part.name = wire["filename"];
    known.add("filename");
  }
  if (decodeOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

const CARRIED: ReadonlySet<string> = new Set(
  "type url data text content fileId path blob mimeType name issuer extra cache seals size".split(" "),
);

/** Reports what no file can say, and finds the source that it has; undefined where it cannot be said at all. */
function sourceOf(part: MediaPart, context: EncodeContext<FileLoss>): "url" | "data" | "text" | "fileId" | undefined {
  const source = oneSource(part, context);
  if (source === "url" || source === "data" || source === "text") return source;
  if (source === "fileId" && writeReference(part, context) !== undefined) return source;
  context.report.addLoss(source === "fileId" ? "file-id" : "media-elsewhere");
  return undefined;
}

function writeSource(part: MediaPart, shape: Shape, context: EncodeContext<FileLoss>): JsonValue | undefined {
  const { url, data, text, mimeType } = part;
  switch (shape) {
    case "data-url":
      return data === undefined || mimeType === undefined ? undefined : dataUrl(mimeType, data);
    case "tagged-data-url":
      return data === undefined || mimeType === undefined ? undefined : { type: "url", url: dataUrl(mimeType, data) };
    case "buffer": {
      const bytes = data === undefined ? undefined : bytesOf(data);
      return bytes && { type: "Buffer", data: bytes };
    }
    case "bare":
      if (url !== undefined) return isUrl(url) ? url : undefined;
      if (data !== undefined) return isUrl(data) ? undefined : data;
      return text === undefined ? silentReference(part, context) : undefined;
    case "tagged":
      if (url !== undefined) return { type: "url", url };
      if (data !== undefined) return { type: "data", data };
      if (text !== undefined) return { type: "text", text };
      return { type: "reference", reference: silentReference(part, context) ?? {} };
  }
}

/** The reference again, once its losses have been reported. */
function silentReference({ fileId, issuer }: MediaPart, context: EncodeContext<FileLoss>): JsonObject | undefined {
  const dialect = issuer === undefined ? undefined : { dialect: issuer.dialect };
  return writeReference(
    { type: "file", ...(fileId !== undefined && { fileId }), ...(dialect && { issuer: dialect }) },
    context,
  );
}

export function encodeFile(
  part: MediaPart,
  context: EncodeContext<FileLoss>,
  isTagged = false,
): JsonObject | undefined {
  const { dialect, report } = context;
  reportUnsupportedFields(part, CARRIED, context, "field-unsaid");
  reportOthers(part, context);
  const source = sourceOf(part, context);
  if (source === undefined) return undefined;
  if (part.size !== undefined) report.addLoss("bookkeeping", "size");
  const form = readForm(part, dialect);
  const only: MediaPart = { ...part };
  for (const other of ["url", "data", "text", "fileId"] as const) if (other !== source) delete only[other];
  const legacy = encodeLegacy(only, source, form["type"] ?? (isTagged ? plainLegacy(only) : undefined));
  const isImage = form["type"] === "image" && part.type === "image" && part.name === undefined;
  if (form["type"] !== undefined && form["type"] !== "file" && legacy === undefined && !isImage)
    report.addLoss("form-stale", ["extra", dialect, "$form", "type"]);
  const wire = legacy ?? fileWire(only, isImage, form["data"], isTagged, context);
  const options = encodeOptions(part, context);
  if (options !== undefined) wire["providerOptions"] = options;
  restoreResidue(wire, part, context, isImage ? "image" : "data");
  return wire;
}

function fileWire(
  part: MediaPart,
  isImage: boolean,
  spelled: JsonValue | undefined,
  isTagged: boolean,
  context: EncodeContext<FileLoss>,
): JsonObject {
  // What is no shape gives nothing.
  const kept = spelled === undefined ? undefined : writeSource(part, spelled as Shape, context);
  if (spelled !== undefined && kept === undefined)
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "data"]);
  const value = kept ?? writeSource(part, plainShape(part, isTagged), context) ?? "";
  if (isImage)
    return part.mimeType === undefined
      ? { type: "image", image: value }
      : { type: "image", image: value, mediaType: part.mimeType };
  const wire: JsonObject = { type: "file", data: value, mediaType: encodeMediaType(part, context) };
  if (part.name !== undefined) wire["filename"] = part.name;
  return wire;
}

/** Older parts of results: what each holds. */
const LEGACY: Readonly<Record<string, "data" | "url">> = {
  "file-data": "data",
  "image-data": "data",
  media: "data",
  "file-url": "url",
  "image-url": "url",
};

/** A URL in a result goes out under an older name: the newer one takes it from memory only, not from JSON. */
function plainLegacy({ type, url, name, mimeType }: MediaPart): string | undefined {
  if (url === undefined || name !== undefined) return undefined;
  if (type === "image" && mimeType === undefined) return "image-url";
  return kindOfLegacy("file-url", mimeType) === type ? "file-url" : undefined;
}

function nameIn({ filename }: JsonObject): { name?: string } {
  return typeof filename === "string" ? { name: filename } : {};
}

function fieldOfLegacy(type: JsonValue | undefined): "data" | "url" | undefined {
  return typeof type === "string" && Object.hasOwn(LEGACY, type) ? LEGACY[type] : undefined;
}

function kindOfLegacy(type: string, mime: string | undefined): MediaPart["type"] {
  return type.startsWith("image-") ? "image" : kindOfMedia(mime ?? "");
}

export function decodeLegacyFile(wire: JsonObject, { dialect }: DecodeContext): MediaPart | undefined {
  const { type, mediaType, filename } = wire;
  const field = fieldOfLegacy(type);
  const source = field === undefined ? undefined : wire[field];
  if (field === undefined || typeof source !== "string" || typeof type !== "string") return undefined;
  const mime = typeof mediaType === "string" ? mimeOfMedia(mediaType) : undefined;
  const part: MediaPart = { type: kindOfLegacy(type, mime), [field]: source };
  const known = new Set(["type", field]);
  if (mime !== undefined) {
    part.mimeType = mime;
    known.add("mediaType");
  }
  if (type === "file-data" && typeof filename === "string") {
    part.name = filename;
    known.add("filename");
  }
  if (plainLegacy(part) !== type) storeForm(part, dialect, "type", type);
  if (decodeOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

function encodeLegacy(part: MediaPart, source: string, type: JsonValue | undefined): JsonObject | undefined {
  const field = fieldOfLegacy(type);
  if (field === undefined || typeof type !== "string" || source !== field) return undefined;
  const { mimeType, name } = part;
  if (kindOfLegacy(type, mimeType) !== part.type || (name !== undefined && type !== "file-data")) return undefined;
  const wire: JsonObject = { type, [field]: part[field] ?? "" };
  if (mimeType !== undefined) wire["mediaType"] = mimeType;
  if (name !== undefined) wire["filename"] = name;
  return wire;
}
