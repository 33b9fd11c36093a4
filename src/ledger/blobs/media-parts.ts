// Finds the media parts of a message at any depth, including those in the content of tool results and documents.
import type { MediaPart, Message, Part } from "../../model/index.ts";
import { isBlobReference } from "./blob-marker.ts";

const MEDIA_TYPES: ReadonlySet<unknown> = new Set(["image", "audio", "video", "file"]);

export function isMediaPart(part: unknown): part is MediaPart {
  return typeof part === "object" && part !== null && "type" in part && MEDIA_TYPES.has(part.type);
}

/** Lists the media parts of a list of parts and of their contents. Skips values that are not lists of parts. */
export function listMediaParts(parts: unknown, found: MediaPart[] = []): MediaPart[] {
  if (!Array.isArray(parts)) return found;
  for (const part of parts as readonly (Part | null)[]) {
    if (isMediaPart(part)) found.push(part);
    if (typeof part === "object" && part !== null && "content" in part) listMediaParts(part.content, found);
  }
  return found;
}

/**
 * Returns the JSON pointer, within `parts`, of the first media part that references the blob; undefined if no part
 * references it.
 */
export function findBlobPath(parts: unknown, blob: string): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  for (const [index, part] of (parts as readonly (Part | null)[]).entries()) {
    if (isMediaPart(part) && part.blob === blob) return `/${index}/blob`;
    const inside = typeof part === "object" && part !== null && "content" in part ? part.content : undefined;
    const path = findBlobPath(inside, blob);
    if (path !== undefined) return `/${index}/content${path}`;
  }
  return undefined;
}

/** Lists the blobs that the media parts of a message reference. */
export function listReferencedBlobs(message: Pick<Message, "parts">): string[] {
  const names: string[] = [];
  for (const { blob } of listMediaParts(message.parts)) if (isBlobReference(blob)) names.push(blob);
  return names;
}
