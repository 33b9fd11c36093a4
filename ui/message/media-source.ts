// What a medium is and where it lies. Everything about it was said by somebody else: a type decides how it is shown only where
// it is one that browsers show without running anything; all else is bytes to be saved.
import type { MediaPart } from "koine";
import { isBase64, isPicture, visible } from "../markdown/address.ts";

export type Place =
  | { at: "data"; data: string }
  | { at: "blob"; ref: string }
  | { at: "url"; url: string }
  | { at: "text"; text: string }
  | { at: "content" }
  | { at: "elsewhere"; words: string };

/** The types of bytes by how their base64 begins. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["SUQz", "audio/mpeg"],
  ["T2dnUw", "audio/ogg"],
  ["JVBERi0", "application/pdf"],
];

export function placeOf(part: MediaPart): Place {
  const { data, blob, url, text, content, fileId, path, issuer } = part;
  if (data !== undefined)
    return { at: "data", data: data.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/") };
  if (blob !== undefined) return { at: "blob", ref: blob };
  if (url !== undefined) return dataPlace(url) ?? { at: "url", url };
  if (text !== undefined) return { at: "text", text };
  if (content !== undefined) return { at: "content" };
  if (fileId !== undefined) {
    const whose = issuer?.provider ?? issuer?.dialect;
    return {
      at: "elsewhere",
      words: `File ${visible(fileId, 120)}${whose === undefined ? "" : ` at ${visible(whose, 60)}`}`,
    };
  }
  if (path !== undefined) return { at: "elsewhere", words: `On the caller's machine: ${visible(path, 300)}` };
  return { at: "elsewhere", words: "Its content is not here." };
}

function dataPlace(url: string): Place | undefined {
  const head = /^data:[^,]{0,200},/i.exec(url.slice(0, 220))?.[0];
  if (head === undefined) return undefined;
  const content = url.slice(head.length);
  return { at: "data", data: /;\s*base64\s*,$/i.test(head) ? content : base64Of(content) };
}

/** What is written out in an address, as base64 like all else. */
function base64Of(content: string): string {
  const bytes = new TextEncoder().encode(content);
  const read: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === PERCENT ? /^[\da-f]{2}$/i.exec(signsBehind(bytes, at))?.[0] : undefined;
    read.push(code === undefined ? (bytes[at] ?? 0) : Number.parseInt(code, 16));
    if (code !== undefined) at += 2;
  }
  let binary = "";
  for (const byte of read) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const PERCENT = 0x25;

/** The two signs behind a percent sign. */
function signsBehind(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
}

/** The type as it was said, or as a data URL or the bytes themselves say. */
export function typeOf({ mimeType, url, data }: MediaPart): string | undefined {
  const said = mimeType ?? /^data:([^;,]{1,100})[;,]/i.exec(url?.slice(0, 120) ?? "")?.[1];
  if (said !== undefined) return (said.split(";", 1)[0] ?? said).trim().toLowerCase();
  return BEGINNINGS.find(([beginning]) => data?.startsWith(beginning) === true)?.[1];
}

const SOUND = /^(?:audio|video)\/[a-z\d.+-]{1,60}$/;

/** The type to show it as, if it can be shown. */
export function shownType(part: MediaPart): string | undefined {
  const type = typeOf(part);
  if (part.type === "image") return type !== undefined && isPicture(type) ? type : undefined;
  if (part.type === "audio" || part.type === "video") return type !== undefined && SOUND.test(type) ? type : undefined;
  return type !== undefined && isPicture(type) && type !== "image/svg+xml" ? type : undefined;
}

/** Base64 as an address that an element can show; undefined where browsers would complain. */
export function dataUrl(data: string, type: string): string | undefined {
  return isBase64(data) ? `data:${type};base64,${data}` : undefined;
}

const ENDINGS: Record<string, string> = {
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

/** A name to save it under: nothing in it leads anywhere or hides what it is. */
export function fileName(part: MediaPart): string {
  const given =
    part.name === undefined
      ? ""
      : visible(part.name, 120)
          .replace(/[\\/:*?"<>|]+/g, "_")
          .replace(/^\.+/, "");
  const type = typeOf(part) ?? "";
  return given.trim() === "" ? `${part.type}${Object.hasOwn(ENDINGS, type) ? ENDINGS[type] : ""}` : given;
}

/** How many bytes, as far as it is known. */
export function sizeOf({ size, data, text }: MediaPart): number | undefined {
  if (size !== undefined) return size;
  if (data !== undefined) return Math.floor((data.length * 3) / 4);
  return text?.length;
}
