// The media parts of a message, at any depth: in tool results and in documents that are made of parts.
import type { MediaPart, Message, Part } from "../../model/index.ts";
import { isReference } from "./marker.ts";

const MEDIA: ReadonlySet<unknown> = new Set(["image", "audio", "video", "file"]);

export function isMedia(part: unknown): part is MediaPart {
  return typeof part === "object" && part !== null && "type" in part && MEDIA.has(part.type);
}

/** Media parts, outer ones first. Bodies may come from anywhere: what is no list of parts is passed over. */
export function mediaOf(parts: unknown, found: MediaPart[] = []): MediaPart[] {
  if (!Array.isArray(parts)) return found;
  for (const part of parts as readonly (Part | null)[]) {
    if (isMedia(part)) found.push(part);
    if (typeof part === "object" && part !== null && "content" in part) mediaOf(part.content, found);
  }
  return found;
}

/** Where a part of a list names a blob, as a JSON pointer; undefined where none does. */
export function pathOfBlob(parts: unknown, blob: string): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  for (const [index, part] of (parts as readonly (Part | null)[]).entries()) {
    if (isMedia(part) && part.blob === blob) return `/${index}/blob`;
    const inside = typeof part === "object" && part !== null && "content" in part ? part.content : undefined;
    const path = pathOfBlob(inside, blob);
    if (path !== undefined) return `/${index}/content${path}`;
  }
  return undefined;
}

/** The blobs that media parts of a message name themselves. */
export function namedBlobs(message: Pick<Message, "parts">): string[] {
  const names: string[] = [];
  for (const { blob } of mediaOf(message.parts)) if (isReference(blob)) names.push(blob);
  return names;
}
