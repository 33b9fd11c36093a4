// Writes the long strings of a message as blobs, once per tenant and content, in chunks of a bounded size. For a blob
// that exists already, only a reference is written (B97).
import { createHash } from "node:crypto";
import type { Message } from "../../model/index.ts";
import { copyObject } from "../../model/json/index.ts";
import type { BlobRefRow, BlobRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { Steps } from "../store/steps.ts";
import { wait } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import type { ExtractedString } from "./blob-marker.ts";
import { MARKER_FIELD } from "./blob-marker.ts";
import { listReferencedBlobs } from "./media-parts.ts";
import { extractStrings } from "./extract-strings.ts";
import { encodeText } from "./text-encoding.ts";

/** The maximum number of bytes in a chunk of a blob. */
export const CHUNK_SIZE = 262_144;

export function hashBytes(bytes: Uint8Array): string {
  return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A message whose long strings were extracted, and the blobs that the message needs. */
export interface MessageWithBlobs<T> {
  message: T;
  /** The bytes of the extracted strings, by hash. */
  bytes: ReadonlyMap<string, Buffer>;
  /** The hashes of the blobs that the media parts of the message reference. */
  referenced: readonly string[];
}

/**
 * Extracts the strings of more than `threshold` characters from a copy of the message, for `writeBlobs`. Needed only
 * for messages for which `needsBlobs` is true.
 */
export function extractBlobs<T extends Message>(message: T, threshold: number): MessageWithBlobs<T> {
  const { message: withoutStrings, strings } = extractStrings(message, threshold);
  const bytes = new Map<string, Buffer>();
  const extracted = strings.map(({ at, text }): ExtractedString => {
    const encoded = encodeText(text);
    const blob = hashBytes(encoded.bytes);
    bytes.set(blob, encoded.bytes);
    return { at, blob, as: encoded.as, size: encoded.bytes.length };
  });
  return { message: addMarker(withoutStrings, extracted), bytes, referenced: listReferencedBlobs(message) };
}

/** Messages with their blobs, by message id. */
export type MessagesWithBlobs = ReadonlyMap<string, MessageWithBlobs<Message>>;

/**
 * Writes the blobs of messages and the references to them. Blobs are written in the order of their hashes, so that
 * concurrent writers of the same blobs cannot deadlock. Returns the hash of the first referenced blob that does not
 * exist; undefined if all exist.
 */
export function* writeBlobs(
  scope: LedgerScope,
  tx: LedgerTransaction,
  key: ThreadKey,
  messages: MessagesWithBlobs,
): Steps<string | undefined> {
  const bytes = new Map<string, Buffer>();
  const refs: BlobRefRow[] = [];
  for (const [messageId, message] of messages) {
    for (const [hash, each] of message.bytes) bytes.set(hash, each);
    const hashes = new Set([...message.bytes.keys(), ...message.referenced]);
    for (const hash of hashes) refs.push({ ...key, messageId, hash });
  }
  if (refs.length === 0) return undefined;
  // References are inserted before blobs are looked up, because a blob with a reference cannot be deleted meanwhile.
  yield* wait(tx.insertBlobRefs(refs));
  let missing: string | undefined;
  for (const hash of [...new Set(refs.map((ref) => ref.hash))].sort()) {
    const content = bytes.get(hash);
    if (content !== undefined) yield* writeBytes(scope, tx, hash, content);
    else if ((yield* wait(tx.blob(scope.tenant, hash))) === undefined) missing ??= hash;
  }
  return missing;
}

function addMarker<T extends object>(message: T, strings: ExtractedString[]): T {
  const hasOwnField = Object.hasOwn(message, MARKER_FIELD);
  if (strings.length === 0 && !hasOwnField) return message;
  const copy = copyObject(message);
  const marker = hasOwnField && MARKER_FIELD in message ? { strings, own: message[MARKER_FIELD] } : { strings };
  return Object.assign(copy, { [MARKER_FIELD]: marker });
}

/** Writes bytes as a blob and returns true. Returns false without writing the bytes if the blob exists already. */
export function* writeBytes(
  scope: LedgerScope,
  tx: LedgerTransaction,
  hash: string,
  bytes: Uint8Array,
): Steps<boolean> {
  const { tenant } = scope;
  if ((yield* wait(tx.blob(tenant, hash))) !== undefined) return false;
  const blobId = scope.nextId("");
  if (!(yield* insertOrRefreshBlob(scope, tx, { tenant, hash, blobId, size: bytes.length }))) return false;
  for (let at = 0, position = 0; at < bytes.length; at += CHUNK_SIZE, position++) {
    yield* wait(tx.insertChunk({ tenant, blobId, position, bytes: bytes.subarray(at, at + CHUNK_SIZE) }));
  }
  return true;
}

/**
 * Inserts a blob and returns true. If the blob exists already, returns false and resets the age of the blob, so that a
 * purge does not delete the blob before a message references it.
 */
export function* insertOrRefreshBlob(
  scope: LedgerScope,
  tx: LedgerTransaction,
  row: Omit<BlobRow, "createdAt">,
): Steps<boolean> {
  for (;;) {
    const createdAt = scope.now();
    if (yield* wait(tx.insertBlob({ ...row, createdAt }))) return true;
    // If another process deleted the existing blob after the insert failed, the blob cannot be refreshed, and the
    // insert is repeated.
    if (yield* wait(tx.refreshBlob(row.tenant, row.hash, createdAt))) return false;
  }
}
