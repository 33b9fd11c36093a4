// Decodes and encodes files of AI SDK model messages. The data is bytes, a URL, text or a reference to a provider's
// file, either as a bare value or tagged as `{ type, … }`. Also converts the older file parts of tool results.
import { formatDataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { MediaPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import {
  encodeMediaType,
  isUrl,
  toMediaPartType,
  toMimeType,
  pickMediaSource,
  decodeFileReference,
  encodeFileReference,
} from "./media-types.ts";
import { decodeProviderOptions, encodeProviderOptions, reportOtherResidue } from "./provider-options.ts";
import { isObject, unknownFields } from "../kit/fields/read-wire.ts";
import type { NotPortableLoss } from "../kit/losses/catalog.ts";
import { readForm, storeResidue, storeForm, restoreResidue } from "../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import type { SealLoss } from "../kit/seals/seals.ts";

/** Losses that encoding a file can report. */
export type FileLoss =
  | NotPortableLoss
  | SealLoss
  | "mime-type-guessed"
  | "media-kind-changed"
  | "file-id-not-portable"
  | "media-source-unsupported"
  | "field-unsupported"
  | "form-stale"
  | "residue-conflict";

type FileSource = Pick<MediaPart, "url" | "data" | "text" | "fileId" | "issuer">;
/**
 * The spelling of file data: `{ type, … }`, a bare value, a data URL (bare or tagged), or the JSON of Node's Buffer.
 */
type FileDataShape = "tagged" | "bare" | "data-url" | "tagged-data-url" | "buffer";
interface DecodedFileData {
  source: FileSource;
  /** The spelling on the wire; undefined for in-memory values such as Uint8Array, whose spelling is not restored. */
  shape?: FileDataShape;
  unknownFields?: JsonObject | undefined;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Returns the bytes of base64 data; undefined if the data is not base64 in its standard spelling. */
function fromBase64(base64: string): number[] | undefined {
  try {
    const bytes = Array.from(atob(base64), (character) => character.charCodeAt(0));
    return toBase64(Uint8Array.from(bytes)) === base64 ? bytes : undefined;
  } catch {
    // `atob` throws if the text is not valid base64.
    return undefined;
  }
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
}

/** Reads an in-memory value that the AI SDK accepts in place of JSON; undefined for all other values. */
function readInMemoryValue(value: unknown): FileSource | undefined {
  if (value instanceof Uint8Array) return { data: toBase64(value) };
  if (value instanceof ArrayBuffer) return { data: toBase64(new Uint8Array(value)) };
  return value instanceof URL ? { url: value.href } : undefined;
}

function decodeFileData(value: JsonValue | undefined, mimeType: string | undefined): DecodedFileData | undefined {
  const memorySource = readInMemoryValue(value);
  if (memorySource !== undefined) return { source: memorySource };
  if (typeof value === "string") {
    const data = readPlainDataUrl(value, mimeType);
    if (data !== undefined) return { source: { data }, shape: "data-url" };
    return { source: isUrl(value) ? { url: value } : { data: value }, shape: "bare" };
  }
  return isObject(value) ? decodeTaggedData(value, mimeType) : undefined;
}

/** Returns the base64 data of a data URL; undefined if the URL has parameters or another MIME type than the part. */
function readPlainDataUrl(url: string, mimeType: string | undefined): string | undefined {
  const inline = readDataUrl(url);
  if (inline === undefined || inline.mimeType !== mimeType) return undefined;
  return formatDataUrl(inline.mimeType, inline.data) === url ? inline.data : undefined;
}

function decodeTaggedData(value: JsonObject, mimeType: string | undefined): DecodedFileData | undefined {
  const { type } = value;
  if (type === "Buffer" && Array.isArray(value["data"]) && value["data"].every(isByte)) {
    return {
      source: { data: toBase64(Uint8Array.from(value["data"])) },
      shape: "buffer",
      unknownFields: unknownFields(value, new Set(["type", "data"])),
    };
  }
  if (type === "reference") {
    const source = decodeFileReference(value["reference"]);
    return source && { source, shape: "tagged", unknownFields: unknownFields(value, new Set(["type", "reference"])) };
  }
  if (type === "data" || type === "url" || type === "text") {
    const inner = value[type];
    const rest = unknownFields(value, new Set(["type", type]));
    const data = type === "url" && typeof inner === "string" ? readPlainDataUrl(inner, mimeType) : undefined;
    if (data !== undefined) return { source: { data }, shape: "tagged-data-url", unknownFields: rest };
    if (typeof inner === "string") return { source: { [type]: inner }, shape: "tagged", unknownFields: rest };
    const memorySource = readInMemoryValue(inner);
    return memorySource && { source: memorySource, unknownFields: rest };
  }
  const source = decodeFileReference(value);
  return source && { source, shape: "bare" };
}

/**
 * Returns the default spelling of a source: bare if the value can be recognized as a URL or as base64, else tagged. In
 * tool results (`isTagged`) it is always tagged.
 */
function findDefaultShape({ url, data }: FileSource, isTagged: boolean): FileDataShape {
  if (isTagged) return "tagged";
  return (url !== undefined && isUrl(url)) || (data !== undefined && !isUrl(data)) ? "bare" : "tagged";
}

function toText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const FILE_FIELDS: ReadonlySet<string> = new Set(["type", "data", "mediaType"]);
const IMAGE_FIELDS: ReadonlySet<string> = new Set(["type", "image"]);

/**
 * Decodes a file or image part; undefined if its data or media type is unreadable. `isTagged` is true in a tool result,
 * where the data of all files is tagged as `{ type, … }`.
 */
export function decodeFile(wire: JsonObject, context: DecodeContext, isTagged = false): MediaPart | undefined {
  const { dialect } = context;
  const isImage = wire["type"] === "image";
  const field = isImage ? "image" : "data";
  const mediaType = wire["mediaType"];
  if (!isImage && typeof mediaType !== "string") return undefined;
  const mimeType = typeof mediaType === "string" ? toMimeType(mediaType) : undefined;
  const fileData = decodeFileData(wire[field], mimeType);
  if (fileData === undefined) return undefined;
  const part: MediaPart = { type: isImage ? "image" : toMediaPartType(toText(mediaType)), ...fileData.source };
  if (mimeType !== undefined) part.mimeType = mimeType;
  if (isImage) storeForm(part, dialect, "type", "image");
  else if (isTagged && findDefaultLegacyType({ ...part, ...readName(wire) }) !== undefined)
    storeForm(part, dialect, "type", "file");
  if (fileData.shape !== undefined && fileData.shape !== findDefaultShape(fileData.source, isTagged)) {
    storeForm(part, dialect, "data", fileData.shape);
  }
  storeResidue(part, dialect, fileData.unknownFields, field);
  const known = new Set(isImage ? IMAGE_FIELDS : FILE_FIELDS);
  if (mimeType !== undefined) known.add("mediaType");
  if (!isImage && typeof wire["filename"] === "string") {
    part.name = wire["filename"];
    known.add("filename");
  }
  if (decodeProviderOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

const MEDIA_FIELDS: ReadonlySet<string> = new Set(
  "type url data text content fileId path blob mimeType name issuer extra cache seals size".split(" "),
);

/**
 * Returns the field of the part whose value is encoded as the file data, and reports further source fields as losses;
 * undefined, with a loss, if no source can be encoded.
 */
function findSource(part: MediaPart, context: EncodeContext<FileLoss>): "url" | "data" | "text" | "fileId" | undefined {
  const source = pickMediaSource(part, context);
  if (source === "url" || source === "data" || source === "text") return source;
  if (source === "fileId" && encodeFileReference(part, context) !== undefined) return source;
  context.report.addLoss(source === "fileId" ? "file-id-not-portable" : "media-source-unsupported");
  return undefined;
}

function encodeFileData(
  part: MediaPart,
  shape: FileDataShape,
  context: EncodeContext<FileLoss>,
): JsonValue | undefined {
  const { url, data, text, mimeType } = part;
  switch (shape) {
    case "data-url":
      return data === undefined || mimeType === undefined ? undefined : formatDataUrl(mimeType, data);
    case "tagged-data-url":
      return data === undefined || mimeType === undefined
        ? undefined
        : { type: "url", url: formatDataUrl(mimeType, data) };
    case "buffer": {
      const bytes = data === undefined ? undefined : fromBase64(data);
      return bytes && { type: "Buffer", data: bytes };
    }
    case "bare":
      if (url !== undefined) return isUrl(url) ? url : undefined;
      if (data !== undefined) return isUrl(data) ? undefined : data;
      return text === undefined ? encodeReference(part, context) : undefined;
    case "tagged":
      if (url !== undefined) return { type: "url", url };
      if (data !== undefined) return { type: "data", data };
      if (text !== undefined) return { type: "text", text };
      return { type: "reference", reference: encodeReference(part, context) ?? {} };
  }
}

/**
 * Encodes the file id and the issuer's dialect as a reference. The issuer's provider and model are left out, because
 * `findSource` has already reported their loss.
 */
function encodeReference({ fileId, issuer }: MediaPart, context: EncodeContext<FileLoss>): JsonObject | undefined {
  const dialect = issuer === undefined ? undefined : { dialect: issuer.dialect };
  return encodeFileReference(
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
  reportUnsupportedFields(part, MEDIA_FIELDS, context, "field-unsupported");
  reportOtherResidue(part, context);
  const source = findSource(part, context);
  if (source === undefined) return undefined;
  if (part.size !== undefined) report.addLoss("metadata-dropped", "size");
  const form = readForm(part, dialect);
  const singleSource: MediaPart = { ...part };
  for (const other of ["url", "data", "text", "fileId"] as const) if (other !== source) delete singleSource[other];
  const legacy = encodeLegacyFile(
    singleSource,
    source,
    form["type"] ?? (isTagged ? findDefaultLegacyType(singleSource) : undefined),
  );
  const isImage = form["type"] === "image" && part.type === "image" && part.name === undefined;
  if (form["type"] !== undefined && form["type"] !== "file" && legacy === undefined && !isImage)
    report.addLoss("form-stale", ["extra", dialect, "$form", "type"]);
  const wire = legacy ?? buildFile(singleSource, isImage, form["data"], isTagged, context);
  const options = encodeProviderOptions(part, context);
  if (options !== undefined) wire["providerOptions"] = options;
  restoreResidue(wire, part, context, isImage ? "image" : "data");
  return wire;
}

function buildFile(
  part: MediaPart,
  isImage: boolean,
  shapeForm: JsonValue | undefined,
  isTagged: boolean,
  context: EncodeContext<FileLoss>,
): JsonObject {
  // The stored form may be any JSON value. The cast is safe, because `encodeFileData` returns undefined for a value
  // that is not a `FileDataShape`.
  const formValue = shapeForm === undefined ? undefined : encodeFileData(part, shapeForm as FileDataShape, context);
  if (shapeForm !== undefined && formValue === undefined)
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "data"]);
  const value = formValue ?? encodeFileData(part, findDefaultShape(part, isTagged), context) ?? "";
  if (isImage)
    return part.mimeType === undefined
      ? { type: "image", image: value }
      : { type: "image", image: value, mediaType: part.mimeType };
  const wire: JsonObject = { type: "file", data: value, mediaType: encodeMediaType(part, context) };
  if (part.name !== undefined) wire["filename"] = part.name;
  return wire;
}

/** The types of older file parts in tool results, with the field that contains the data. */
const LEGACY_FIELDS: Readonly<Record<string, "data" | "url">> = {
  "file-data": "data",
  "image-data": "data",
  media: "data",
  "file-url": "url",
  "image-url": "url",
};

/**
 * Returns the older part type (`image-url` or `file-url`) that is written for a URL in a tool result; undefined if the
 * type `file` is written. In a part of type `file` the AI SDK accepts a URL only as a URL object, not as JSON.
 */
function findDefaultLegacyType({ type, url, name, mimeType }: MediaPart): string | undefined {
  if (url === undefined || name !== undefined) return undefined;
  if (type === "image" && mimeType === undefined) return "image-url";
  return toLegacyPartType("file-url", mimeType) === type ? "file-url" : undefined;
}

function readName({ filename }: JsonObject): { name?: string } {
  return typeof filename === "string" ? { name: filename } : {};
}

function findLegacyField(type: JsonValue | undefined): "data" | "url" | undefined {
  return typeof type === "string" && Object.hasOwn(LEGACY_FIELDS, type) ? LEGACY_FIELDS[type] : undefined;
}

function toLegacyPartType(type: string, mimeType: string | undefined): MediaPart["type"] {
  return type.startsWith("image-") ? "image" : toMediaPartType(mimeType ?? "");
}

export function decodeLegacyFile(wire: JsonObject, { dialect }: DecodeContext): MediaPart | undefined {
  const { type, mediaType, filename } = wire;
  const field = findLegacyField(type);
  const source = field === undefined ? undefined : wire[field];
  if (field === undefined || typeof source !== "string" || typeof type !== "string") return undefined;
  const mimeType = typeof mediaType === "string" ? toMimeType(mediaType) : undefined;
  const part: MediaPart = { type: toLegacyPartType(type, mimeType), [field]: source };
  const known = new Set(["type", field]);
  if (mimeType !== undefined) {
    part.mimeType = mimeType;
    known.add("mediaType");
  }
  if (type === "file-data" && typeof filename === "string") {
    part.name = filename;
    known.add("filename");
  }
  if (findDefaultLegacyType(part) !== type) storeForm(part, dialect, "type", type);
  if (decodeProviderOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

function encodeLegacyFile(part: MediaPart, source: string, type: JsonValue | undefined): JsonObject | undefined {
  const field = findLegacyField(type);
  if (field === undefined || typeof type !== "string" || source !== field) return undefined;
  const { mimeType, name } = part;
  if (toLegacyPartType(type, mimeType) !== part.type || (name !== undefined && type !== "file-data")) return undefined;
  const wire: JsonObject = { type, [field]: part[field] ?? "" };
  if (mimeType !== undefined) wire["mediaType"] = mimeType;
  if (name !== undefined) wire["filename"] = name;
  return wire;
}
