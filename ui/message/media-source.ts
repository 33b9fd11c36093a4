// Finds the location and the MIME type of a media part. Both come from untrusted messages, so a part is displayed only
// if browsers display its type without executing anything; other parts are offered as a download.
import type { MediaPart } from "koine";
import { isBase64, isDisplayableImage, escapeInvisible } from "../markdown/safe-url.ts";

export type MediaLocation =
  | { at: "data"; data: string }
  | { at: "blob"; ref: string }
  | { at: "url"; url: string }
  | { at: "text"; text: string }
  | { at: "content" }
  | { at: "elsewhere"; description: string };

/** First characters of the base64 data of common media types, with the MIME type that they identify. */
const BASE64_PREFIXES: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["SUQz", "audio/mpeg"],
  ["T2dnUw", "audio/ogg"],
  ["JVBERi0", "application/pdf"],
];

export function locateMedia(part: MediaPart): MediaLocation {
  const { data, blob, url, text, content, fileId, path, issuer } = part;
  if (data !== undefined)
    return { at: "data", data: data.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/") };
  if (blob !== undefined) return { at: "blob", ref: blob };
  if (url !== undefined) return parseDataUrl(url) ?? { at: "url", url };
  if (text !== undefined) return { at: "text", text };
  if (content !== undefined) return { at: "content" };
  if (fileId !== undefined) {
    const issuerName = issuer?.provider ?? issuer?.dialect;
    return {
      at: "elsewhere",
      description: `File ${escapeInvisible(fileId, 120)}${issuerName === undefined ? "" : ` at ${escapeInvisible(issuerName, 60)}`}`,
    };
  }
  if (path !== undefined)
    return { at: "elsewhere", description: `Path on the client's machine: ${escapeInvisible(path, 300)}` };
  return { at: "elsewhere", description: "The message does not contain its content." };
}

function parseDataUrl(url: string): MediaLocation | undefined {
  const head = /^data:[^,]{0,200},/i.exec(url.slice(0, 220))?.[0];
  if (head === undefined) return undefined;
  const content = url.slice(head.length);
  return { at: "data", data: /;\s*base64\s*,$/i.test(head) ? content : percentToBase64(content) };
}

/** Converts the percent-encoded content of a data URL to base64. */
function percentToBase64(content: string): string {
  const bytes = new TextEncoder().encode(content);
  const decoded: number[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index] === PERCENT ? /^[\da-f]{2}$/i.exec(readTwoCharacters(bytes, index))?.[0] : undefined;
    decoded.push(code === undefined ? (bytes[index] ?? 0) : Number.parseInt(code, 16));
    if (code !== undefined) index += 2;
  }
  let binary = "";
  for (const byte of decoded) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const PERCENT = 0x25;

/** Returns the two characters after the percent sign at index `at`. */
function readTwoCharacters(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
}

/**
 * Returns the MIME type that the part or its data URL declares; without a declared type, the type that the first bytes
 * of the data identify; undefined if they identify none.
 */
export function detectMimeType({ mimeType, url, data }: MediaPart): string | undefined {
  const declared = mimeType ?? /^data:([^;,]{1,100})[;,]/i.exec(url?.slice(0, 120) ?? "")?.[1];
  if (declared !== undefined) return (declared.split(";", 1)[0] ?? declared).trim().toLowerCase();
  return BASE64_PREFIXES.find(([beginning]) => data?.startsWith(beginning) === true)?.[1];
}

const PLAYABLE_TYPE = /^(?:audio|video)\/[a-z\d.+-]{1,60}$/;

/**
 * Returns the part's MIME type if browsers can display media of this type safely; undefined if they cannot or the type
 * is unknown.
 */
export function findDisplayType(part: MediaPart): string | undefined {
  const type = detectMimeType(part);
  if (part.type === "image") return type !== undefined && isDisplayableImage(type) ? type : undefined;
  if (part.type === "audio" || part.type === "video")
    return type !== undefined && PLAYABLE_TYPE.test(type) ? type : undefined;
  return type !== undefined && isDisplayableImage(type) && type !== "image/svg+xml" ? type : undefined;
}

/** Returns a data URL; undefined if the data is not base64, because browsers report an error for such a URL. */
export function toDataUrl(data: string, type: string): string | undefined {
  return isBase64(data) ? `data:${type};base64,${data}` : undefined;
}

const FILE_EXTENSIONS: Record<string, string> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/svg+xml": ".svg",
  "audio/mpeg": ".mp3",
  "audio/wav": ".wav",
  "application/pdf": ".pdf",
  "text/plain": ".txt",
};

/** Returns a safe file name, without path separators, invisible characters and leading dots. */
export function toDownloadName(part: MediaPart): string {
  const cleanName =
    part.name === undefined
      ? ""
      : escapeInvisible(part.name, 120)
          .replace(/[\\/:*?"<>|]+/g, "_")
          .replace(/^\.+/, "");
  const type = detectMimeType(part) ?? "";
  return cleanName.trim() === ""
    ? `${part.type}${Object.hasOwn(FILE_EXTENSIONS, type) ? FILE_EXTENSIONS[type] : ""}`
    : cleanName;
}

/** Returns the approximate size in bytes; undefined if it is unknown. */
export function estimateSize({ size, data, text }: MediaPart): number | undefined {
  if (size !== undefined) return size;
  if (data !== undefined) return Math.floor((data.length * 3) / 4);
  return text?.length;
}
