// What work can add to a memory store and change in it. Every row that comes in is copied, every step is journalled.
import { LedgerError } from "../../errors.ts";
import type {
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  KeyRow,
  LogRow,
  MessageRow,
  QuarantineRow,
  RunChanges,
  RunRow,
  ThreadHead,
  ThreadRow,
  WorkChanges,
  WorkRow,
} from "../../rows.ts";
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerTransaction, ThreadKey } from "../../store.ts";
import { changesOf } from "../changes.ts";
import type { MemoryData } from "./data.ts";
import { kept, nameOf } from "./data.ts";
import type { Journal, RowSet } from "./journal.ts";
import { MemoryReads } from "./reads.ts";
import { SortedRows } from "./sorted.ts";

/** Where a message stands among those of one digest: by id first. */
function placeOf({ id, threadId }: MessageRow): string {
  return `${id}\0${threadId}`;
}

export class MemoryWrites extends MemoryReads {
  protected readonly journal: Journal;
  /** The threads that were written to, as `nameOf` names them. */
  readonly touched = new Set<string>();
  /** What happened to threads, as lists of them show it. */
  readonly changes: (ThreadChange & { tenant: string })[] = [];

  constructor(data: MemoryData, journal: Journal) {
    super(data);
    this.journal = journal;
  }

  /** Nobody else can write while the work runs: it runs in one go. */
  lockThread(key: ThreadKey): ThreadHead | undefined {
    return this.thread(key);
  }

  insertThread(row: ThreadRow): void {
    this.#insert(this.data.keptTenant(row.tenant).threads, row.id, { ...row }, "thread");
    this.touch({ tenant: row.tenant, threadId: row.id }, "created");
  }

  updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): void {
    const { threads } = this.data.keptTenant(key.tenant);
    const row = threads.get(key.threadId);
    if (row === undefined) return;
    this.journal.set(threads, row.id, { ...row, ...changes });
    this.touch(key, ...changesOf(changes));
  }

  insertMessages(rows: readonly MessageRow[]): void {
    this.#demandFree(rows, (key) => this.data.keptThread(key).messages, "message");
    for (const given of rows) {
      const row = { ...given };
      this.journal.set(this.data.keptThread(row).messages, row.id, row);
      this.journal.set(this.data.unindexed, row, row);
      if (row.role === "assistant") this.journal.set(this.#sameDigest(row), placeOf(row), row);
      this.touch(row, "activity");
    }
  }

  insertRun(row: RunRow): void {
    this.#demandFree([row], (key) => this.data.keptThread(key).runs, "run");
    this.#putRun({ ...row });
  }

  updateRun(key: ThreadKey, id: string, epoch: number, changes: RunChanges): boolean {
    const row = this.data.keptThread(key).runs.get(id);
    if (row?.epoch !== epoch) return false;
    this.#unlistRun(row);
    this.#putRun({ ...row, ...changes });
    return true;
  }

  insertLog(rows: readonly LogRow[]): void {
    this.#demandFree(rows, (key) => this.data.keptThread(key).log, "log row");
    for (const row of rows) {
      this.journal.set(this.data.keptThread(row).log, row.id, { ...row });
      if (row.kind === "delta") this.touch(row);
      else this.touch(row, "activity");
    }
  }

  insertKey(row: KeyRow): void {
    this.#insert(this.data.keptThread(row).keys, row.key, { ...row }, "idempotency key");
    this.touch(row);
  }

  putAlias(row: AliasRow): void {
    this.deleteAlias(row.tenant, row.name);
    const own = { ...row };
    this.journal.set(this.data.keptTenant(row.tenant).aliases, row.name, own);
    this.journal.set(this.data.keptThread(row).aliases, row.name, own);
  }

  claimAlias(row: AliasRow): AliasRow {
    const there = this.alias(row.tenant, row.name);
    if (there === undefined) this.putAlias(row);
    return there ?? { ...row };
  }

  deleteAlias(tenant: string, name: string): boolean {
    const { aliases } = this.data.keptTenant(tenant);
    const row = aliases.get(name);
    if (row === undefined) return false;
    this.journal.delete(aliases, name);
    this.journal.delete(this.data.keptThread(row).aliases, name);
    return true;
  }

  addWork(row: WorkRow): void {
    const { work } = this.data;
    const known = work.get(nameOf(row));
    this.journal.set(work, nameOf(row), known === undefined ? { ...row } : { ...known, wants: known.wants + 1 });
  }

  updateWork(key: ThreadKey, leaseId: string | null, changes: WorkChanges): boolean {
    const row = this.data.work.get(nameOf(key));
    if (row?.leaseId !== leaseId) return false;
    this.journal.set(this.data.work, nameOf(key), { ...row, ...changes });
    return true;
  }

  deleteWork(key: ThreadKey, leaseId: string, wants: number): boolean {
    const row = this.data.work.get(nameOf(key));
    if (row?.leaseId !== leaseId || row.wants !== wants) return false;
    this.journal.delete(this.data.work, nameOf(key));
    return true;
  }

  insertBlob(row: BlobRow): boolean {
    const { blobs } = this.data.keptTenant(row.tenant);
    if (blobs.has(row.hash)) return false;
    this.journal.set(blobs, row.hash, { ...row });
    return true;
  }

  refreshBlob(tenant: string, hash: string, createdAt: number): boolean {
    const { blobs } = this.data.keptTenant(tenant);
    const row = blobs.get(hash);
    if (row === undefined) return false;
    if (row.createdAt < createdAt) this.journal.set(blobs, hash, { ...row, createdAt });
    return true;
  }

  insertChunk(row: ChunkRow): void {
    const { chunks } = this.data.keptTenant(row.tenant);
    const ofBlob = kept(chunks, row.blobId, () => new Map<number, ChunkRow>());
    this.#insert(ofBlob, row.position, { ...row, bytes: row.bytes.slice() }, "chunk");
  }

  deleteChunks(tenant: string, blobId: string): void {
    const { chunks } = this.data.keptTenant(tenant);
    // The chunks of a blob go as one map, which stays whole for the journal.
    if (chunks.has(blobId)) this.journal.delete(chunks, blobId);
  }

  insertBlobRefs(rows: readonly BlobRefRow[]): void {
    for (const row of rows) {
      const ofMessage = kept(this.data.keptThread(row).blobRefs, row.messageId, () => new SortedRows<BlobRefRow>());
      if (ofMessage.get(row.hash) !== undefined) continue;
      this.journal.set(ofMessage, row.hash, { ...row });
      this.countHolder(row, 1);
    }
  }

  quarantine(row: QuarantineRow): void {
    const { quarantine } = this.data.keptThread(row);
    if (quarantine.get(row.messageId) === undefined) this.journal.set(quarantine, row.messageId, { ...row });
  }

  protected touch(key: ThreadKey, ...changes: ThreadChange["change"][]): void {
    const { tenant, threadId } = key;
    this.touched.add(nameOf(key));
    for (const change of changes) this.changes.push({ tenant, threadId, change });
  }

  /** Takes a run out of every index but its thread's. */
  protected forgetRun(row: RunRow): void {
    const same = this.#sameRunId(row);
    this.#unlistRun(row);
    this.journal.delete(same, row.threadId);
    if (same.size === 0) this.journal.delete(this.data.keptTenant(row.tenant).runsById, row.id);
    this.touch(row);
  }

  /** Takes a message out of every index but its thread's. */
  protected forgetMessage(row: MessageRow): void {
    this.journal.delete(this.data.unindexed, row);
    if (row.role !== "assistant") return;
    const same = this.#sameDigest(row);
    this.journal.delete(same, placeOf(row));
    if (same.size === 0) this.journal.delete(this.data.keptTenant(row.tenant).digests, row.digest);
  }

  protected countHolder({ tenant, hash }: BlobRefRow, change: 1 | -1): void {
    const { holders } = this.data.keptTenant(tenant);
    const count = (holders.get(hash) ?? 0) + change;
    if (count === 0) this.journal.delete(holders, hash);
    else this.journal.set(holders, hash, count);
  }

  #unlistRun(row: RunRow): void {
    this.journal.delete(this.data.live, row);
    this.journal.delete(this.data.logged, row);
  }

  #putRun(row: RunRow): void {
    this.journal.set(this.data.keptThread(row).runs, row.id, row);
    this.journal.set(this.#sameRunId(row), row.threadId, row);
    if (row.finishedAt !== null && !row.compacted) this.journal.set(this.data.logged, row, row);
    if (row.state === "created" || row.state === "streaming") this.journal.set(this.data.live, row, row);
    this.touch(row);
  }

  #sameRunId(row: RunRow): SortedRows<RunRow> {
    return kept(this.data.keptTenant(row.tenant).runsById, row.id, () => new SortedRows<RunRow>());
  }

  #sameDigest(row: MessageRow): SortedRows<MessageRow> {
    return kept(this.data.keptTenant(row.tenant).digests, row.digest, () => new SortedRows<MessageRow>());
  }

  #insert<Key extends string | number, Row>(rows: RowSet<Key, Row>, key: Key, row: Row, what: string): void {
    if (rows.get(key) !== undefined) throw taken(what, String(key));
    this.journal.set(rows, key, row);
  }

  /** Looks at all rows before the first is written: all or none. */
  #demandFree<Row extends ThreadKey & { id: string }>(
    rows: readonly Row[],
    tableOf: (key: ThreadKey) => SortedRows<Row>,
    what: string,
  ): void {
    const seen = new Set<string>();
    for (const row of rows) {
      const name = nameOf(row) + row.id;
      if (seen.has(name) || tableOf(row).get(row.id) !== undefined) throw taken(what, row.id);
      seen.add(name);
    }
  }
}

function taken(what: string, id: string): LedgerError {
  return new LedgerError("conflict", `There is a ${what} "${id}" already.`);
}
