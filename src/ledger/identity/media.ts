// Media by what they are made of or where they are. In a turn of the assistant they are no part of its identity, as most
// clients leave them out; a client that sends them must mean the same ones.
import { hash } from "node:crypto";
import { readDataUrl } from "../../model/data-url.ts";
import type { Message } from "../../model/message.ts";
import type { MediaPart, Part } from "../../model/parts.ts";

/** Inline, in a data URL or in the ledger: the same bytes are the same. */
export function sourceOf({ data, blob, text, url, fileId, path }: MediaPart): string {
  if (data !== undefined) return contentHash(data);
  if (blob !== undefined) return blob;
  if (text !== undefined) return `sha256-${hash("sha256", text)}`;
  if (url !== undefined) {
    const inline = readDataUrl(url);
    return inline === undefined ? `url ${url}` : contentHash(inline.data);
  }
  return fileId === undefined ? `path ${path ?? ""}` : `id ${fileId}`;
}

/** As the ledger names blobs: by their bytes, so that it does not matter how base64 spells them. */
function contentHash(base64: string): string {
  return `sha256-${hash("sha256", Buffer.from(base64, "base64"))}`;
}

/** "unknown": nothing tells, as where the one has bytes and the other an address. */
export type Likeness = "same" | "unknown" | "other";

/** Whether the media that an assistant made, as the client sends them, are among those that are stored. */
export function compareMedia(client: readonly Message[], stored: readonly Message[]): Likeness {
  let likeness: Likeness = "same";
  const theirs = mediaIn(client).map(sourceOf);
  if (theirs.length === 0) return likeness;
  const ours = new Set(mediaIn(stored).map(sourceOf));
  const kinds = new Set([...ours].map(kindOf));
  for (const source of theirs) {
    if (ours.has(source)) continue;
    // Of another kind than all that are stored: a server may have given out an address for the bytes.
    if (kinds.size === 0 || kinds.has(kindOf(source))) return "other";
    likeness = "unknown";
  }
  return likeness;
}

export function hasMedia(messages: readonly Message[]): boolean {
  return messages.some((message) => mediaIn([message]).length > 0);
}

function mediaIn(messages: readonly Message[]): MediaPart[] {
  const media: MediaPart[] = [];
  const gather = (part: Part): void => {
    if (part.type === "image" || part.type === "audio" || part.type === "video" || part.type === "file")
      media.push(part);
    // What the provider ran may have made some, too.
    else if (part.type === "tool-result" && part.executor === "provider") part.content?.forEach(gather);
  };
  for (const { role, parts } of messages) if (role === "assistant") parts.forEach(gather);
  return media;
}

function kindOf(source: string): string {
  return source.startsWith("sha256-") ? "bytes" : source.slice(0, source.indexOf(" "));
}
