// Writes the long strings of a message as blobs: once per tenant and content, in rows of a bounded size. An existing
// blob costs only a reference (B97).
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

/** The bytes of a blob's row. */
export const CHUNK_SIZE = 262_144;

export function hashBytes(bytes: Uint8Array): string {
  return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A message without its long strings, and the blobs that it needs. */
export interface MessageWithBlobs<T> {
  message: T;
  /** The extracted bytes, by hash. */
  bytes: ReadonlyMap<string, Buffer>;
  /** The blobs that its media parts reference. */
  referenced: readonly string[];
}

/**
 * Returns a copy of the message without its strings of more than `threshold` characters, for `writeBlobs`. Needed only
 * if `needsBlobs` is true.
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
 * Writes the blobs of messages and their references. In the order of the hashes, so that writers that share blobs
 * cannot deadlock. Returns the first referenced blob that does not exist.
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
  // References first: from then on an existing blob cannot be deleted.
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

/** Writes bytes as a blob; returns true if the blob is new. */
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
 * Inserts a blob; returns true if it is new. The age of an existing blob is reset, so that it is not deleted before a
 * message references it.
 */
export function* insertOrRefreshBlob(
  scope: LedgerScope,
  tx: LedgerTransaction,
  row: Omit<BlobRow, "createdAt">,
): Steps<boolean> {
  for (;;) {
    const createdAt = scope.now();
    if (yield* wait(tx.insertBlob({ ...row, createdAt }))) return true;
    // If the blob was deleted meanwhile, the insert is repeated.
    if (yield* wait(tx.refreshBlob(row.tenant, row.hash, createdAt))) return false;
  }
}
