// Implements the transaction of a memory store: adds the deletions to the writes, which are in writes.ts.
import { toIdPrefix } from "../../ids.ts";
import { type DeletionCounts, type LogRow, NOTHING_DELETED } from "../../store/rows.ts";
import type { LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import { toThreadMapKey, type ThreadData } from "./data.ts";
import { compareIds } from "../compare-ids.ts";
import { MemoryWrites } from "./writes.ts";

export class MemoryTransaction extends MemoryWrites implements LedgerTransaction {
  deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): number {
    const { log } = this.data.getOrCreateThread(key);
    const isDelta = (row: LogRow): boolean => row.runId === runId && row.kind === "delta";
    const deltas = log.between(within?.first, within?.last).filter(isDelta);
    for (const { id } of deltas) this.undoLog.delete(log, id);
    if (deltas.length > 0) this.recordChange(key);
    return deltas.length;
  }

  deleteMessages(key: ThreadKey, ids: readonly string[]): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    const thread = this.data.getOrCreateThread(key);
    this.#storeLastId(key, thread);
    for (const id of ids) {
      this.#deleteDependents(thread, id);
      const row = thread.messages.get(id);
      if (row === undefined) continue;
      deleted.messages++;
      deleted.bytes += countBytes(row.body);
      this.removeMessageFromIndexes(row);
      this.undoLog.delete(thread.messages, id);
      this.recordChange(key, "updated");
    }
    return deleted;
  }

  deleteRuns(key: ThreadKey, ids: readonly string[]): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    const thread = this.data.getOrCreateThread(key);
    const { runs, log } = thread;
    this.#storeLastId(key, thread);
    const runIds = new Set(ids);
    for (const id of runIds) {
      const run = runs.get(id);
      if (run === undefined) continue;
      deleted.runs++;
      this.removeRunFromIndexes(run);
      this.undoLog.delete(runs, id);
      this.recordChange(key, "updated");
    }
    for (const { name, runId } of thread.aliases.all()) if (runIds.has(runId)) this.deleteAlias(key.tenant, name);
    for (const row of log.all()) {
      if (!runIds.has(row.runId)) continue;
      deleted.logRows++;
      deleted.bytes += countBytes(row.body);
      this.undoLog.delete(log, row.id);
      this.recordChange(key);
    }
    return deleted;
  }

  deleteThread(key: ThreadKey): DeletionCounts {
    const tenant = this.data.getOrCreateTenant(key.tenant);
    const { messages, runs, log, keys, aliases, blobRefs } = this.data.getOrCreateThread(key);
    const exists = tenant.threads.get(key.threadId) !== undefined;
    for (const row of messages.all()) this.removeMessageFromIndexes(row);
    for (const row of runs.all()) this.removeRunFromIndexes(row);
    for (const { name } of aliases.all()) this.deleteAlias(key.tenant, name);
    this.undoLog.delete(this.data.work, toThreadMapKey(key));
    for (const refs of blobRefs.all()) for (const ref of refs.all()) this.addReferenceCount(ref, -1);
    // The rows of the thread are removed as one object, which the undo log restores in one step.
    this.undoLog.delete(tenant.data, key.threadId);
    this.undoLog.delete(tenant.threads, key.threadId);
    this.recordChange(key, "deleted");
    const bytes = [...messages.all(), ...log.all()].reduce((sum, { body }) => sum + countBytes(body), 0);
    const counts = { messages: messages.size, runs: runs.size, logRows: log.size, keys: keys.size };
    return { ...NOTHING_DELETED, ...counts, threads: exists ? 1 : 0, bytes };
  }

  deleteKeys(tenant: string, before: number): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    for (const { keys } of this.data.getOrCreateTenant(tenant).data.all()) {
      for (const [name, { createdAt }] of keys) {
        if (createdAt >= before) continue;
        deleted.keys++;
        this.undoLog.delete(keys, name);
      }
    }
    return deleted;
  }

  deleteBlobs(tenant: string, hashes: readonly string[], before: number): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    const { blobs, referenceCounts } = this.data.getOrCreateTenant(tenant);
    for (const hash of hashes) {
      const blob = blobs.get(hash);
      if (blob === undefined || blob.createdAt >= before || referenceCounts.has(hash)) continue;
      deleted.blobs++;
      deleted.bytes += blob.size;
      this.undoLog.delete(blobs, hash);
      this.deleteChunks(tenant, blob.blobId);
    }
    return deleted;
  }

  deleteUnreferencedBlobs(tenant: string, before: number): DeletionCounts {
    const { blobs, chunks } = this.data.getOrCreateTenant(tenant);
    const deleted = this.deleteBlobs(tenant, [...blobs.keys()], before);
    const remainingBlobIds = new Set([...blobs.values()].map(({ blobId }) => blobId));
    const limit = toIdPrefix(before);
    for (const [blobId, blobChunks] of chunks) {
      if (remainingBlobIds.has(blobId) || compareIds(blobId, limit) >= 0) continue;
      for (const { bytes } of blobChunks.values()) deleted.bytes += bytes.length;
      this.deleteChunks(tenant, blobId);
    }
    return deleted;
  }

  /**
   * Stores the thread's last id, because the newest row may be deleted and its id must not be used again. Increments
   * `purges`, so that cached summaries become invalid.
   */
  #storeLastId(key: ThreadKey, thread: ThreadData): void {
    this.undoLog.set(thread.purges, "purges", (thread.purges.get("purges") ?? 0) + 1);
    const lastId = this.thread(key)?.lastId ?? "";
    if (lastId !== "") this.undoLog.set(thread.lastId, "lastId", lastId);
  }

  /** Deletes a message's blob references, quarantine row and search entry. */
  #deleteDependents(thread: ThreadData, messageId: string): void {
    for (const ref of thread.blobRefs.get(messageId)?.all() ?? []) this.addReferenceCount(ref, -1);
    this.undoLog.delete(thread.blobRefs, messageId);
    this.undoLog.delete(thread.quarantine, messageId);
    this.undoLog.delete(thread.texts, messageId);
  }
}

const UTF8 = new TextEncoder();

function countBytes(text: string): number {
  return UTF8.encode(text).length;
}
