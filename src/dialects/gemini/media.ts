// Media: inline data, and files by their URI. What kind of media it is, the mime type tells.
import { base64Of, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Issuer, MediaPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { readForm, isSealFor, storeForm, reportUnsupportedFields } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import type { Code } from "./losses.ts";
import { keepRest } from "./reading.ts";
import type { GeminiBlob, GeminiFileData, GeminiMediaPart } from "./types.ts";

/** Files that only Google can open: of the Files API, and of its cloud storage. */
const OWN_FILE = /^(?:gs:\/\/|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/;
const YOUTUBE = /^https?:\/\/(?:(?:www|m)\.)?youtu(?:be\.com|\.be)\//;
const KIND = /^(image|audio|video)\//;

function kindOfMedia(mimeType: unknown, uri: string | undefined): MediaPart["type"] {
  if (typeof mimeType !== "string") return uri !== undefined && YOUTUBE.test(uri) ? "video" : "file";
  // What the expression lets through.
  return (KIND.exec(mimeType)?.[1] ?? "file") as MediaPart["type"];
}

/** A blob or file; undefined where it lacks its data. */
export function decodeMedia(
  data: JsonObject,
  key: "inlineData" | "fileData",
  context: DecodeContext,
): MediaPart | undefined {
  const { mimeType, displayName } = data;
  const sourceKey = key === "inlineData" ? "data" : "fileUri";
  const source = data[sourceKey];
  if (typeof source !== "string") return undefined;
  const uri = key === "inlineData" ? undefined : source;
  const part: MediaPart = { type: kindOfMedia(mimeType, uri) };
  const taken = [sourceKey];
  if (uri === undefined) part.data = source;
  else if (OWN_FILE.test(uri)) Object.assign(part, { fileId: uri, issuer: issuerOf(context) });
  else part.url = uri;
  if (typeof mimeType === "string") {
    part.mimeType = mimeType;
    taken.push("mimeType");
  } else if (mimeTypeOf(part) !== undefined) storeForm(part, context.dialect, "mimeType", null);
  if (typeof displayName === "string") {
    part.name = displayName;
    taken.push("displayName");
  }
  keepRest(part, data, taken, context.dialect, key);
  return part;
}

const BESIDE = ["type", "extra", "seals", "mimeType", "name"];
const CARRIED = {
  data: new Set([...BESIDE, "data"]),
  url: new Set([...BESIDE, "url"]),
  text: new Set([...BESIDE, "text"]),
  fileId: new Set([...BESIDE, "fileId", "issuer"]),
} as const satisfies Partial<Record<keyof MediaPart, ReadonlySet<string>>>;
type Source = keyof typeof CARRIED;

const BOOKKEEPING = { cache: "bookkeeping", size: "bookkeeping" } as const;

/** What a media part is on the wire; undefined where it cannot be said, which is reported. */
export function encodeMedia(part: MediaPart, context: EncodeContext<Code>): GeminiMediaPart | undefined {
  const { report } = context;
  const source = (["data", "url", "fileId", "text"] as const).find((each) => part[each] !== undefined);
  const value = source === undefined ? undefined : part[source];
  if (source === undefined || value === undefined) {
    report.addLoss("media-elsewhere");
    return undefined;
  }
  if (source === "fileId" && !isOwnFile(value, part.issuer, context)) {
    report.addLoss("file-id");
    return undefined;
  }
  reportUnsupportedFields(part, CARRIED[source], context, "field-unsaid", BOOKKEEPING);
  const media = written(part, source, value, context);
  const mimeType = media.inlineData?.mimeType ?? media.fileData?.mimeType;
  if (kindOfMedia(mimeType, media.fileData?.fileUri) !== part.type) report.addLoss("media-kind", "type");
  return media;
}

function isOwnFile(id: string, issuer: Issuer | undefined, context: EncodeContext): boolean {
  return issuer === undefined ? OWN_FILE.test(id) : isSealFor(issuer, context);
}

function written(part: MediaPart, source: Source, value: string, context: EncodeContext<Code>): GeminiMediaPart {
  const { mimeType, name } = part;
  const { report } = context;
  const inline = source === "url" ? readDataUrl(value) : undefined;
  if (source === "fileId" || (source === "url" && inline === undefined)) {
    const told = source === "url" && mimeType === undefined && context.repair ? mimeTypeOf(part) : undefined;
    const isTold = told !== undefined && readForm(part, context.dialect)["mimeType"] === undefined;
    if (isTold) report.addLoss("mime-told", "mimeType");
    return { fileData: named<GeminiFileData>({ fileUri: value }, isTold ? told : mimeType, name) };
  }
  if (inline !== undefined) {
    report.addLoss("url-as-data", "url");
    return { inlineData: named<GeminiBlob>({ data: inline.data }, mimeType ?? inline.mimeType, name) };
  }
  if (source === "text") {
    report.addLoss("text-as-data", "text");
    return { inlineData: named<GeminiBlob>({ data: base64Of(value) }, mimeType ?? "text/plain", name) };
  }
  return { inlineData: named<GeminiBlob>({ data: value }, mimeType ?? guessMimeType(part, value, context), name) };
}

function named<T extends GeminiBlob | GeminiFileData>(data: T, mimeType: string | undefined, name?: string): T {
  if (mimeType !== undefined) data.mimeType = mimeType;
  if (name !== undefined) data.displayName = name;
  return data;
}

/** What the endings of addresses tell. */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["heic", "image/heic"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["flac", "audio/flac"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["webm", "video/webm"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
]);

/** The mime type that the address of media tells, if it fits what kind of media it is. */
function mimeTypeOf({ url = "", type }: MediaPart): string | undefined {
  const [path = ""] = /^https?:/.test(url) ? url.split(/[?#]/, 1) : [];
  const mimeType = ENDINGS.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  return mimeType !== undefined && kindOfMedia(mimeType, undefined) === type ? mimeType : undefined;
}

/** How the base64 of common formats begins. */
const BEGINNINGS: readonly (readonly [type: string, beginning: string, mimeType: string])[] = [
  ["image", "iVBOR", "image/png"],
  ["image", "R0lGO", "image/gif"],
  ["image", "UklGR", "image/webp"],
  ["audio", "UklGR", "audio/wav"],
  ["file", "JVBER", "application/pdf"],
];
const LIKELIEST = { image: "image/jpeg", audio: "audio/mpeg", video: "video/mp4", file: "application/octet-stream" };

/** Inline data is refused without a mime type. */
function guessMimeType({ type }: MediaPart, data: string, context: EncodeContext<Code>): string | undefined {
  if (!context.repair) return undefined;
  context.report.addLoss("mime-guessed", "mimeType");
  return BEGINNINGS.find(([kind, beginning]) => kind === type && data.startsWith(beginning))?.[2] ?? LIKELIEST[type];
}
