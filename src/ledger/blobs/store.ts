// Writes the long strings of a message as blobs: once per tenant and content, in rows of a bounded size. A blob that is
// there already costs a reference and nothing else (B97).
import { createHash } from "node:crypto";
import type { Message } from "../../model/index.ts";
import { copyObject } from "../../model/json.ts";
import type { BlobRefRow, BlobRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { Steps } from "../steps.ts";
import { got } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import type { TakenString } from "./marker.ts";
import { FIELD } from "./marker.ts";
import { namedBlobs } from "./media.ts";
import { takeStrings } from "./take.ts";
import { bytesOf } from "./text.ts";

/** Bytes in a row of a blob. */
export const CHUNK = 262_144;

export function hashOf(bytes: Uint8Array): string {
  return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A message as it is stored, and the blobs that it needs. */
export interface LightMessage<T> {
  message: T;
  /** What was taken out of it, by hash. */
  bytes: ReadonlyMap<string, Buffer>;
  /** The blobs that its media name themselves. */
  named: readonly string[];
}

/**
 * The message with its strings of more than `threshold` characters taken out, to be stored by `holdBlobs`. For messages
 * of which `needsBlobs` says so. The message given stays as it is.
 */
export function takeBlobs<T extends Message>(message: T, threshold: number): LightMessage<T> {
  const { message: light, strings } = takeStrings(message, threshold);
  const bytes = new Map<string, Buffer>();
  const taken = strings.map(({ at, text }): TakenString => {
    const found = bytesOf(text);
    const blob = hashOf(found.bytes);
    bytes.set(blob, found.bytes);
    return { at, blob, as: found.as, size: found.bytes.length };
  });
  return { message: marked(light, taken), bytes, named: namedBlobs(message) };
}

/** Messages by their ids, each with what was taken out of it. */
export type LightMessages = ReadonlyMap<string, LightMessage<Message>>;

/**
 * Stores what was taken out of messages, and makes them hold it and what they name. In one order, that of the hashes,
 * whatever the order of the messages: writers who share blobs never wait for each other in a circle. Gives the first
 * named blob that is not there.
 */
export function* holdBlobs(
  scope: Scope,
  tx: LedgerTransaction,
  key: ThreadKey,
  messages: LightMessages,
): Steps<string | undefined> {
  const bytes = new Map<string, Buffer>();
  const refs: BlobRefRow[] = [];
  for (const [messageId, light] of messages) {
    for (const [hash, each] of light.bytes) bytes.set(hash, each);
    const hashes = new Set([...light.bytes.keys(), ...light.named]);
    for (const hash of hashes) refs.push({ ...key, messageId, hash });
  }
  if (refs.length === 0) return undefined;
  // First, because from then on nobody deletes a blob that is there.
  yield* got(tx.insertBlobRefs(refs));
  let missing: string | undefined;
  for (const hash of [...new Set(refs.map((ref) => ref.hash))].sort()) {
    const own = bytes.get(hash);
    if (own !== undefined) yield* storeBytes(scope, tx, hash, own);
    else if ((yield* got(tx.blob(scope.tenant, hash))) === undefined) missing ??= hash;
  }
  return missing;
}

function marked<T extends object>(message: T, strings: TakenString[]): T {
  const isTaken = Object.hasOwn(message, FIELD);
  if (strings.length === 0 && !isTaken) return message;
  const copy = copyObject(message);
  const marker = isTaken && FIELD in message ? { strings, own: message[FIELD] } : { strings };
  return Object.assign(copy, { [FIELD]: marker });
}

/** Says whether they were new. */
export function* storeBytes(scope: Scope, tx: LedgerTransaction, hash: string, bytes: Uint8Array): Steps<boolean> {
  const { tenant } = scope;
  if ((yield* got(tx.blob(tenant, hash))) !== undefined) return false;
  const blobId = scope.nextId("");
  if (!(yield* nameBlob(scope, tx, { tenant, hash, blobId, size: bytes.length }))) return false;
  for (let at = 0, position = 0; at < bytes.length; at += CHUNK, position++) {
    yield* got(tx.insertChunk({ tenant, blobId, position, bytes: bytes.subarray(at, at + CHUNK) }));
  }
  return true;
}

/** Says whether the blob was new. One that is there counts as put now, so that no purge takes it before a message names it. */
export function* nameBlob(scope: Scope, tx: LedgerTransaction, row: Omit<BlobRow, "createdAt">): Steps<boolean> {
  for (;;) {
    const createdAt = scope.now();
    if (yield* got(tx.insertBlob({ ...row, createdAt }))) return true;
    // Where it is gone again, somebody has deleted it since.
    if (yield* got(tx.refreshBlob(row.tenant, row.hash, createdAt))) return false;
  }
}
