// Writes and reads blobs of any size in bounded memory. The chunks of an upload are written before its hash is known,
// under a generated blob id; the chunks of a failed upload are deleted.
import { createHash } from "node:crypto";
import { LedgerError } from "../errors.ts";
import type { BlobRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait } from "../store/steps.ts";
import { isBlobReference } from "./blob-marker.ts";
import { CHUNK_SIZE, hashBytes, insertOrRefreshBlob, writeBytes } from "./write-blobs.ts";

/** The number of chunks that an upload writes in one transaction. */
const CHUNKS_PER_WRITE = 16;

/** The result of an upload. */
export interface StoredBytes {
  blob: string;
  size: number;
  /** True if the blob did not exist before. */
  isNew: boolean;
}

/**
 * Stores bytes as a blob, unless the tenant has a blob with the same content. Returns the blob's reference and size.
 */
export async function putBlob(
  scope: LedgerScope,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ blob: string; size: number }> {
  assertBytes(bytes);
  if (bytes instanceof Uint8Array) {
    const blob = hashBytes(bytes);
    if (await refreshExistingBlob(scope, blob)) return { blob, size: bytes.length };
  }
  const { blob, size } = await storeByteStream(scope, bytes instanceof Uint8Array ? toAsyncIterable(bytes) : bytes);
  return { blob, size };
}

/**
 * Returns true if a blob exists, and then resets the age of the blob, so that a purge does not delete the blob before a
 * message references it.
 */
export async function refreshExistingBlob({ store, tenant, now }: LedgerScope, hash: string): Promise<boolean> {
  if ((await store.reads.blob(tenant, hash)) === undefined) return false;
  return store.write((tx) => wait(tx.refreshBlob(tenant, hash, now())));
}

function assertBytes(bytes: unknown): void {
  if (bytes instanceof Uint8Array) return;
  if (typeof bytes === "object" && bytes !== null && Symbol.asyncIterator in bytes) return;
  throw new LedgerError("invalid-input", "A blob must be a Uint8Array or an async iterable of Uint8Arrays.", {
    path: "bytes",
  });
}

// oxlint-disable-next-line require-await -- `storeByteStream` needs an async iterable
async function* toAsyncIterable(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** Stores a stream of bytes as a blob. `check` receives the hash of the bytes and may throw; then nothing is stored. */
export async function storeByteStream(
  scope: LedgerScope,
  source: AsyncIterable<Uint8Array>,
  check?: (hash: string) => void,
): Promise<StoredBytes> {
  const hash = createHash("sha256");
  const upload = new BlobUpload(scope);
  try {
    for await (const bytes of source) {
      if (!(bytes instanceof Uint8Array)) {
        throw new LedgerError("invalid-input", "A blob stream must yield Uint8Arrays only.", {
          path: "bytes",
        });
      }
      hash.update(bytes);
      await upload.add(bytes);
    }
    const contentHash = `sha256-${hash.digest("hex")}`;
    check?.(contentHash);
    return await upload.finish(contentHash);
  } catch (error) {
    // If the chunks cannot be deleted either, the original error is thrown, and a later purge deletes the chunks.
    await upload.abandon().catch(() => undefined);
    throw error;
  }
}

/** An upload in progress: divides the bytes into chunks and writes several chunks per transaction. */
class BlobUpload {
  readonly #scope: LedgerScope;
  readonly #blobId: string;
  #full: Buffer[] = [];
  #filling = Buffer.alloc(0);
  #used = 0;
  /** The number of chunks that were written to the store. */
  #written = 0;
  #size = 0;

  constructor(scope: LedgerScope) {
    this.#scope = scope;
    this.#blobId = scope.nextId("");
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      // Each chunk gets a new buffer, because the buffers of the earlier chunks in `#full` still wait to be written.
      if (this.#used === this.#filling.length) this.#startChunk();
      const piece = bytes.subarray(at, at + this.#filling.length - this.#used);
      this.#filling.set(piece, this.#used);
      this.#used += piece.length;
      at += piece.length;
      if (this.#full.length === CHUNKS_PER_WRITE) await this.#write();
    }
    this.#size += bytes.length;
  }

  #startChunk(): void {
    if (this.#used > 0) this.#full.push(this.#filling.subarray(0, this.#used));
    this.#filling = Buffer.allocUnsafeSlow(CHUNK_SIZE);
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
        yield* wait(tx.insertChunk({ tenant, blobId, position: written + index, bytes }));
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
    this.#startChunk();
    const isNew = this.#written === 0 ? await this.#writeAtOnce(hash) : await this.#writeLastChunks(hash);
    if (!isNew && this.#written > 0) await scope.store.write((tx) => wait(tx.deleteChunks(tenant, blobId)));
    return { blob: hash, size, isNew };
  }

  /** Writes a blob in one transaction. Returns false if the blob exists already; then only its age is reset. */
  async #writeAtOnce(hash: string): Promise<boolean> {
    const scope = this.#scope;
    if (await refreshExistingBlob(scope, hash)) return false;
    const bytes = Buffer.concat(this.#full);
    return scope.store.write((tx) => writeBytes(scope, tx, hash, bytes));
  }

  async #writeLastChunks(hash: string): Promise<boolean> {
    const scope = this.#scope;
    const blobId = this.#blobId;
    const size = this.#size;
    if (this.#full.length > 0) await this.#write();
    return scope.store.write((tx) => insertOrRefreshBlob(scope, tx, { tenant: scope.tenant, hash, blobId, size }));
  }

  async abandon(): Promise<void> {
    const scope = this.#scope;
    const blobId = this.#blobId;
    if (this.#written > 0) await scope.store.write((tx) => wait(tx.deleteChunks(scope.tenant, blobId)));
  }
}

/**
 * Yields the bytes of a blob, chunk by chunk. Throws "unknown-blob" if the blob does not exist, and "corrupt" if bytes
 * are missing.
 */
export async function* readBlob(scope: LedgerScope, reference: string): AsyncGenerator<Uint8Array, void, void> {
  if (typeof reference !== "string") {
    throw new LedgerError("invalid-input", "A blob reference must be a string.", { path: "reference" });
  }
  const row = isBlobReference(reference) ? await scope.store.reads.blob(scope.tenant, reference) : undefined;
  if (row === undefined) {
    throw new LedgerError("unknown-blob", `There is no blob "${reference.slice(0, 80)}".`, { path: "reference" });
  }
  yield* readChunks(scope, row);
}

async function* readChunks(
  scope: LedgerScope,
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

/**
 * Returns a description of the fault of a blob: the blob does not exist, bytes are missing, or the bytes do not match
 * the hash. Returns undefined if the blob is intact.
 */
export async function findBlobFault(scope: LedgerScope, reference: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const bytes of readBlob(scope, reference)) hash.update(bytes);
  } catch (error) {
    if (error instanceof LedgerError && (error.code === "unknown-blob" || error.code === "corrupt")) {
      return error.message;
    }
    throw error;
  }
  const contentHash = `sha256-${hash.digest("hex")}`;
  return contentHash === reference ? undefined : `The bytes of the blob ${reference} do not match its hash.`;
}
