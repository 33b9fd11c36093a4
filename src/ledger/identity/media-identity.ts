// Identifies media by their bytes or address. Media of assistant turns are not part of the digest, because most clients
// drop them; if a client sends them, they must equal the stored media.
import { hash } from "node:crypto";
import { readDataUrl } from "../../model/data-url.ts";
import type { Message } from "../../model/message.ts";
import type { MediaPart, Part } from "../../model/parts.ts";

/**
 * Returns the identity of a media part. Equal bytes have equal identities, whether they are inline, in a data URL or in
 * a blob.
 */
export function toMediaIdentity({ data, blob, text, url, fileId, path }: MediaPart): string {
  if (data !== undefined) return hashContent(data);
  if (blob !== undefined) return blob;
  if (text !== undefined) return `sha256-${hash("sha256", text)}`;
  if (url !== undefined) {
    const inline = readDataUrl(url);
    return inline === undefined ? `url ${url}` : hashContent(inline.data);
  }
  return fileId === undefined ? `path ${path ?? ""}` : `id ${fileId}`;
}

/**
 * Returns the reference that a blob with the bytes of base64 data has. The bytes are hashed, so the spelling of base64
 * does not matter.
 */
function hashContent(base64: string): string {
  return `sha256-${hash("sha256", Buffer.from(base64, "base64"))}`;
}

/** The result of comparing media; "unknown" if they cannot be compared, for example bytes with an address. */
export type MediaComparison = "same" | "unknown" | "other";

/** Compares the assistant's media in the client's history with the stored media. */
export function compareMedia(client: readonly Message[], stored: readonly Message[]): MediaComparison {
  let result: MediaComparison = "same";
  const clientMedia = listAssistantMedia(client).map(toMediaIdentity);
  if (clientMedia.length === 0) return result;
  const storedMedia = new Set(listAssistantMedia(stored).map(toMediaIdentity));
  const kinds = new Set([...storedMedia].map(readIdentityKind));
  for (const source of clientMedia) {
    if (storedMedia.has(source)) continue;
    // `source` is not among the stored media. The media differ if no media are stored, or if media of the same kind
    // (bytes or address) are stored. Different kinds cannot be compared, because a server may have replaced the bytes
    // by an address.
    if (kinds.size === 0 || kinds.has(readIdentityKind(source))) return "other";
    result = "unknown";
  }
  return result;
}

export function hasMedia(messages: readonly Message[]): boolean {
  return messages.some((message) => listAssistantMedia([message]).length > 0);
}

function listAssistantMedia(messages: readonly Message[]): MediaPart[] {
  const media: MediaPart[] = [];
  const collect = (part: Part): void => {
    if (part.type === "image" || part.type === "audio" || part.type === "video" || part.type === "file")
      media.push(part);
    // Results of provider tools are part of assistant messages and may contain media, too.
    else if (part.type === "tool-result" && part.executor === "provider") part.content?.forEach(collect);
  };
  for (const { role, parts } of messages) if (role === "assistant") parts.forEach(collect);
  return media;
}

function readIdentityKind(source: string): string {
  return source.startsWith("sha256-") ? "bytes" : source.slice(0, source.indexOf(" "));
}
