// Implements the writes of a memory store. Each row is copied before it is stored, and each change is recorded in the
// undo log.
import { LedgerError } from "../../errors.ts";
import type * as Rows from "../../store/rows.ts";
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import { toThreadChanges } from "../thread-changes.ts";
import type { MemoryData } from "./data.ts";
import { getOrCreate, toThreadMapKey } from "./data.ts";
import type { UndoLog, RowSet } from "./undo-log.ts";
import { MemoryReads } from "./reads.ts";
import { SortedRows } from "./sorted-rows.ts";

/** Returns the key by which messages with the same digest are sorted: by message id, then by thread id. */
function toDigestSortKey({ id, threadId }: Rows.MessageRow): string {
  return `${id}\0${threadId}`;
}

export class MemoryWrites extends MemoryReads {
  protected readonly undoLog: UndoLog;
  /** The keys (`toThreadMapKey`) of the threads whose watchers are called after the commit. */
  readonly writtenThreads = new Set<string>();
  /** The thread changes that are reported after the commit. */
  readonly changes: (ThreadChange & { tenant: string })[] = [];

  constructor(data: MemoryData, undoLog: UndoLog) {
    super(data);
    this.undoLog = undoLog;
  }

  /** Returns the thread without a lock, because a memory transaction runs without interruption. */
  lockThread(key: ThreadKey): Rows.ThreadHead | undefined {
    return this.thread(key);
  }

  insertThread(row: Rows.ThreadRow): void {
    this.#insert(this.data.getOrCreateTenant(row.tenant).threads, row.id, { ...row }, "thread");
    this.recordChange({ tenant: row.tenant, threadId: row.id }, "created");
  }

  updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): void {
    const { threads } = this.data.getOrCreateTenant(key.tenant);
    const row = threads.get(key.threadId);
    if (row === undefined) return;
    this.undoLog.set(threads, row.id, { ...row, ...changes });
    this.recordChange(key, ...toThreadChanges(changes));
  }

  insertMessages(rows: readonly Rows.MessageRow[]): void {
    this.#assertNoConflict(rows, (key) => this.data.getOrCreateThread(key).messages, "message");
    for (const input of rows) {
      const row = { ...input };
      this.undoLog.set(this.data.getOrCreateThread(row).messages, row.id, row);
      this.undoLog.set(this.data.unindexed, row, row);
      if (row.role === "assistant") this.undoLog.set(this.#messagesWithDigest(row), toDigestSortKey(row), row);
      this.recordChange(row, "activity");
    }
  }

  insertRun(row: Rows.RunRow): void {
    this.#assertNoConflict([row], (key) => this.data.getOrCreateThread(key).runs, "run");
    this.#putRun({ ...row });
  }

  updateRun(key: ThreadKey, id: string, epoch: number, changes: Rows.RunChanges): boolean {
    const row = this.data.getOrCreateThread(key).runs.get(id);
    if (row?.epoch !== epoch) return false;
    this.#removeFromRunLists(row);
    this.#putRun({ ...row, ...changes });
    return true;
  }

  insertLog(rows: readonly Rows.LogRow[]): void {
    this.#assertNoConflict(rows, (key) => this.data.getOrCreateThread(key).log, "log row");
    for (const row of rows) {
      this.undoLog.set(this.data.getOrCreateThread(row).log, row.id, { ...row });
      if (row.kind === "delta") this.recordChange(row);
      else this.recordChange(row, "activity");
    }
  }

  insertKey(row: Rows.KeyRow): void {
    this.#insert(this.data.getOrCreateThread(row).keys, row.key, { ...row }, "idempotency key");
    this.recordChange(row);
  }

  putAlias(row: Rows.AliasRow): void {
    this.deleteAlias(row.tenant, row.name);
    const alias = { ...row };
    this.undoLog.set(this.data.getOrCreateTenant(row.tenant).aliases, row.name, alias);
    this.undoLog.set(this.data.getOrCreateThread(row).aliases, row.name, alias);
  }

  claimAlias(row: Rows.AliasRow): Rows.AliasRow {
    const existing = this.alias(row.tenant, row.name);
    if (existing === undefined) this.putAlias(row);
    return existing ?? { ...row };
  }

  deleteAlias(tenant: string, name: string): boolean {
    const { aliases } = this.data.getOrCreateTenant(tenant);
    const row = aliases.get(name);
    if (row === undefined) return false;
    this.undoLog.delete(aliases, name);
    this.undoLog.delete(this.data.getOrCreateThread(row).aliases, name);
    return true;
  }

  addWork(row: Rows.WorkRow): void {
    const { work } = this.data;
    const existing = work.get(toThreadMapKey(row));
    this.undoLog.set(
      work,
      toThreadMapKey(row),
      existing === undefined ? { ...row } : { ...existing, wants: existing.wants + 1 },
    );
  }

  updateWork(key: ThreadKey, leaseId: string | null, changes: Rows.WorkChanges): boolean {
    const row = this.data.work.get(toThreadMapKey(key));
    if (row?.leaseId !== leaseId) return false;
    this.undoLog.set(this.data.work, toThreadMapKey(key), { ...row, ...changes });
    return true;
  }

  deleteWork(key: ThreadKey, leaseId: string, wants: number): boolean {
    const row = this.data.work.get(toThreadMapKey(key));
    if (row?.leaseId !== leaseId || row.wants !== wants) return false;
    this.undoLog.delete(this.data.work, toThreadMapKey(key));
    return true;
  }

  insertBlob(row: Rows.BlobRow): boolean {
    const { blobs } = this.data.getOrCreateTenant(row.tenant);
    if (blobs.has(row.hash)) return false;
    this.undoLog.set(blobs, row.hash, { ...row });
    return true;
  }

  refreshBlob(tenant: string, hash: string, createdAt: number): boolean {
    const { blobs } = this.data.getOrCreateTenant(tenant);
    const row = blobs.get(hash);
    if (row === undefined) return false;
    if (row.createdAt < createdAt) this.undoLog.set(blobs, hash, { ...row, createdAt });
    return true;
  }

  insertChunk(row: Rows.ChunkRow): void {
    const { chunks } = this.data.getOrCreateTenant(row.tenant);
    const blobChunks = getOrCreate(chunks, row.blobId, () => new Map<number, Rows.ChunkRow>());
    this.#insert(blobChunks, row.position, { ...row, bytes: row.bytes.slice() }, "chunk");
  }

  deleteChunks(tenant: string, blobId: string): void {
    const { chunks } = this.data.getOrCreateTenant(tenant);
    // The chunks of a blob are removed as one map, which the undo log restores in one step.
    if (chunks.has(blobId)) this.undoLog.delete(chunks, blobId);
  }

  insertBlobRefs(rows: readonly Rows.BlobRefRow[]): void {
    for (const row of rows) {
      const refs = getOrCreate(
        this.data.getOrCreateThread(row).blobRefs,
        row.messageId,
        () => new SortedRows<Rows.BlobRefRow>(),
      );
      if (refs.get(row.hash) !== undefined) continue;
      this.undoLog.set(refs, row.hash, { ...row });
      this.addReferenceCount(row, 1);
    }
  }

  quarantine(row: Rows.QuarantineRow): void {
    const { quarantine } = this.data.getOrCreateThread(row);
    if (quarantine.get(row.messageId) === undefined) this.undoLog.set(quarantine, row.messageId, { ...row });
  }

  protected recordChange(key: ThreadKey, ...changes: ThreadChange["change"][]): void {
    const { tenant, threadId } = key;
    this.writtenThreads.add(toThreadMapKey(key));
    for (const change of changes) this.changes.push({ tenant, threadId, change });
  }

  /** Removes a run from every index except `ThreadData.runs`, from which the caller removes the run. */
  protected removeRunFromIndexes(row: Rows.RunRow): void {
    const same = this.#runsWithId(row);
    this.#removeFromRunLists(row);
    this.undoLog.delete(same, row.threadId);
    if (same.size === 0) this.undoLog.delete(this.data.getOrCreateTenant(row.tenant).runsById, row.id);
    this.recordChange(row);
  }

  /** Removes a message from every index except `ThreadData.messages`, from which the caller removes the message. */
  protected removeMessageFromIndexes(row: Rows.MessageRow): void {
    this.undoLog.delete(this.data.unindexed, row);
    if (row.role !== "assistant") return;
    const same = this.#messagesWithDigest(row);
    this.undoLog.delete(same, toDigestSortKey(row));
    if (same.size === 0) this.undoLog.delete(this.data.getOrCreateTenant(row.tenant).digests, row.digest);
  }

  protected addReferenceCount({ tenant, hash }: Rows.BlobRefRow, change: 1 | -1): void {
    const { referenceCounts } = this.data.getOrCreateTenant(tenant);
    const count = (referenceCounts.get(hash) ?? 0) + change;
    if (count === 0) this.undoLog.delete(referenceCounts, hash);
    else this.undoLog.set(referenceCounts, hash, count);
  }

  #removeFromRunLists(row: Rows.RunRow): void {
    this.undoLog.delete(this.data.liveRuns, row);
    this.undoLog.delete(this.data.compactableRuns, row);
  }

  #putRun(row: Rows.RunRow): void {
    this.undoLog.set(this.data.getOrCreateThread(row).runs, row.id, row);
    this.undoLog.set(this.#runsWithId(row), row.threadId, row);
    if (row.finishedAt !== null && !row.compacted) this.undoLog.set(this.data.compactableRuns, row, row);
    if (row.state === "created" || row.state === "streaming") this.undoLog.set(this.data.liveRuns, row, row);
    this.recordChange(row);
  }

  #runsWithId(row: Rows.RunRow): SortedRows<Rows.RunRow> {
    return getOrCreate(this.data.getOrCreateTenant(row.tenant).runsById, row.id, () => new SortedRows<Rows.RunRow>());
  }

  #messagesWithDigest(row: Rows.MessageRow): SortedRows<Rows.MessageRow> {
    return getOrCreate(
      this.data.getOrCreateTenant(row.tenant).digests,
      row.digest,
      () => new SortedRows<Rows.MessageRow>(),
    );
  }

  #insert<Key extends string | number, Row>(rows: RowSet<Key, Row>, key: Key, row: Row, kind: string): void {
    if (rows.get(key) !== undefined) throw createConflictError(kind, String(key));
    this.undoLog.set(rows, key, row);
  }

  /**
   * Throws "conflict" if an id exists or occurs twice. Called before the first write, so that either all rows or no
   * rows are written.
   */
  #assertNoConflict<Row extends ThreadKey & { id: string }>(
    rows: readonly Row[],
    findTable: (key: ThreadKey) => SortedRows<Row>,
    kind: string,
  ): void {
    const seen = new Set<string>();
    for (const row of rows) {
      const name = toThreadMapKey(row) + row.id;
      if (seen.has(name) || findTable(row).get(row.id) !== undefined) throw createConflictError(kind, row.id);
      seen.add(name);
    }
  }
}

function createConflictError(kind: string, id: string): LedgerError {
  return new LedgerError("conflict", `The ${kind} "${id}" exists already.`);
}
