// Writes the long strings of a message as blobs: once per tenant and content, in rows of a bounded size. A blob that is
// there already costs a reference and nothing else (B97).
import { createHash } from "node:crypto";
import type { Message } from "../../model/index.ts";
import { copyObject } from "../../model/json.ts";
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

/**
 * The message as it is stored: strings of more than `blobThreshold` characters stand in blobs, and every blob that the
 * message holds or names is referred to. To be called where `needsBlobs` says so. The message given stays as it is.
 */
export function* storeBlobs<T extends Message>(
  scope: Scope,
  tx: LedgerTransaction,
  key: ThreadKey,
  messageId: string,
  message: T,
): Steps<T> {
  const { message: light, strings } = takeStrings(message, scope.blobThreshold);
  const pending = new Map<string, Buffer>();
  const taken = strings.map(({ at, text }): TakenString => {
    const { bytes, as } = bytesOf(text);
    const blob = hashOf(bytes);
    pending.set(blob, bytes);
    return { at, blob, as, size: bytes.length };
  });
  const refs = new Set([...pending.keys(), ...namedBlobs(message)]);
  if (refs.size > 0) {
    // First, because from then on nobody deletes a blob that is there.
    yield* got(tx.insertBlobRefs(Array.from(refs, (hash) => ({ ...key, messageId, hash }))));
  }
  for (const [hash, bytes] of pending) yield* storeBytes(scope, tx, hash, bytes);
  return marked(light, taken);
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
  const now = scope.now();
  const blobId = scope.nextId("");
  // Somebody else may have written it since.
  const row = { tenant, hash, blobId, size: bytes.length, createdAt: now };
  if (!(yield* got(tx.insertBlob(row)))) return false;
  for (let at = 0, position = 0; at < bytes.length; at += CHUNK, position++) {
    yield* got(tx.insertChunk({ tenant, blobId, position, bytes: bytes.subarray(at, at + CHUNK) }));
  }
  return true;
}
