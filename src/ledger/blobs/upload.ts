// Blobs by themselves: bytes in, of any length and in bounded memory, and bytes out. An upload is written under a name
// of its own until its hash is known; one that breaks off leaves nothing.
import { createHash } from "node:crypto";
import { LedgerError } from "../errors.ts";
import type { BlobRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got } from "../steps.ts";
import { isReference } from "./marker.ts";
import { CHUNK, hashOf, nameBlob, storeBytes } from "./store.ts";

/** Chunks that are written together: one commit for so many. */
const TOGETHER = 16;

export interface StoredBytes {
  blob: string;
  size: number;
  /** Whether they were not there before. */
  isNew: boolean;
}

/** Stores bytes once per content. */
export async function putBlob(
  scope: Scope,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ blob: string; size: number }> {
  checkBytes(bytes);
  if (bytes instanceof Uint8Array) {
    const blob = hashOf(bytes);
    if (await isThere(scope, blob)) return { blob, size: bytes.length };
  }
  const { blob, size } = await storeStream(scope, bytes instanceof Uint8Array ? only(bytes) : bytes);
  return { blob, size };
}

/** Whether a blob is there. If so it counts as put now: it stays until a message had the time to name it. */
export async function isThere({ store, tenant, now }: Scope, hash: string): Promise<boolean> {
  if ((await store.reads.blob(tenant, hash)) === undefined) return false;
  return store.write((tx) => got(tx.refreshBlob(tenant, hash, now())));
}

function checkBytes(bytes: unknown): void {
  if (bytes instanceof Uint8Array) return;
  if (typeof bytes === "object" && bytes !== null && Symbol.asyncIterator in bytes) return;
  throw new LedgerError("invalid-input", "A blob must be a Uint8Array, or an async iterable of them.", {
    path: "bytes",
  });
}

// oxlint-disable-next-line require-await -- an iterable of the kind that uploads are
async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** `check` may refuse what the bytes turn out to be; then nothing stays of them. */
export async function storeStream(
  scope: Scope,
  source: AsyncIterable<Uint8Array>,
  check?: (hash: string) => void,
): Promise<StoredBytes> {
  const hash = createHash("sha256");
  const upload = new Upload(scope);
  try {
    for await (const bytes of source) {
      if (!(bytes instanceof Uint8Array)) {
        throw new LedgerError("invalid-input", "A blob is made of Uint8Arrays; this stream gives something else.", {
          path: "bytes",
        });
      }
      hash.update(bytes);
      await upload.add(bytes);
    }
    const found = `sha256-${hash.digest("hex")}`;
    check?.(found);
    return await upload.finish(found);
  } catch (error) {
    // Why it broke off matters more than what it leaves, which a purge takes away.
    await upload.abandon().catch(() => undefined);
    throw error;
  }
}

/** Fills chunks and writes them, some at a time. */
class Upload {
  readonly #scope: Scope;
  readonly #blobId: string;
  #full: Buffer[] = [];
  #filling = Buffer.alloc(0);
  #used = 0;
  /** Chunks that are written. */
  #written = 0;
  #size = 0;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#blobId = scope.nextId("");
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      // A new one each time: those that are full wait to be written.
      if (this.#used === this.#filling.length) this.#turn();
      const piece = bytes.subarray(at, at + this.#filling.length - this.#used);
      this.#filling.set(piece, this.#used);
      this.#used += piece.length;
      at += piece.length;
      if (this.#full.length === TOGETHER) await this.#write();
    }
    this.#size += bytes.length;
  }

  #turn(): void {
    if (this.#used > 0) this.#full.push(this.#filling.subarray(0, this.#used));
    this.#filling = Buffer.allocUnsafeSlow(CHUNK);
    this.#used = 0;
  }

  async #write(): Promise<void> {
    const scope = this.#scope;
    const blobId = this.#blobId;
    const full = this.#full;
    const written = this.#written;
    const { tenant } = scope;
    await scope.store.write(function* (tx) {
      for (const [index, bytes] of full.entries()) {
        yield* got(tx.insertChunk({ tenant, blobId, position: written + index, bytes }));
      }
    });
    this.#written += full.length;
    this.#full = [];
  }

  async finish(hash: string): Promise<StoredBytes> {
    const scope = this.#scope;
    const blobId = this.#blobId;
    const size = this.#size;
    const { tenant } = scope;
    this.#turn();
    const isNew = this.#written === 0 ? await this.#storeWhole(hash) : await this.#name(hash);
    if (!isNew && this.#written > 0) await scope.store.write((tx) => got(tx.deleteChunks(tenant, blobId)));
    return { blob: hash, size, isNew };
  }

  /** Nothing is written yet: where the blob is there, nothing will be. */
  async #storeWhole(hash: string): Promise<boolean> {
    const scope = this.#scope;
    if (await isThere(scope, hash)) return false;
    const bytes = Buffer.concat(this.#full);
    return scope.store.write((tx) => storeBytes(scope, tx, hash, bytes));
  }

  async #name(hash: string): Promise<boolean> {
    const scope = this.#scope;
    const blobId = this.#blobId;
    const size = this.#size;
    if (this.#full.length > 0) await this.#write();
    return scope.store.write((tx) => nameBlob(scope, tx, { tenant: scope.tenant, hash, blobId, size }));
  }

  async abandon(): Promise<void> {
    const scope = this.#scope;
    const blobId = this.#blobId;
    if (this.#written > 0) await scope.store.write((tx) => got(tx.deleteChunks(scope.tenant, blobId)));
  }
}

/** The bytes of a blob, chunk by chunk. "unknown-blob" where there is none; "corrupt" where some of it is missing. */
export async function* readBlob(scope: Scope, reference: string): AsyncGenerator<Uint8Array, void, void> {
  if (typeof reference !== "string") {
    throw new LedgerError("invalid-input", "The name of a blob must be a string.", { path: "reference" });
  }
  const row = isReference(reference) ? await scope.store.reads.blob(scope.tenant, reference) : undefined;
  if (row === undefined) {
    throw new LedgerError("unknown-blob", `There is no blob "${reference.slice(0, 80)}".`, { path: "reference" });
  }
  yield* chunksOf(scope, row);
}

async function* chunksOf(
  scope: Scope,
  { tenant, hash, blobId, size }: BlobRow,
): AsyncGenerator<Uint8Array, void, void> {
  let read = 0;
  for (let position = 0; read < size; position++) {
    const chunk = await scope.store.reads.chunk(tenant, blobId, position);
    if (chunk === undefined || chunk.bytes.length === 0) {
      throw new LedgerError("corrupt", `Bytes of the blob ${hash} are missing, from ${read} of ${size} on.`);
    }
    read += chunk.bytes.length;
    yield chunk.bytes;
  }
}

/** Why a blob cannot be given back: it is not there, or its bytes are others; undefined where all is well. */
export async function faultOf(scope: Scope, reference: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const bytes of readBlob(scope, reference)) hash.update(bytes);
  } catch (error) {
    if (error instanceof LedgerError && (error.code === "unknown-blob" || error.code === "corrupt")) {
      return error.message;
    }
    throw error;
  }
  const found = `sha256-${hash.digest("hex")}`;
  return found === reference ? undefined : `The bytes of the blob ${reference} are others than when it was stored.`;
}
