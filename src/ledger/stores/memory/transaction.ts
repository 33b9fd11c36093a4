// What work can delete from a memory store.
import { idTime } from "../../ids.ts";
import { type DeletionCounts, type LogRow, NOTHING_DELETED } from "../../rows.ts";
import type { LedgerTransaction, ThreadKey } from "../../store.ts";
import { nameOf, type ThreadData } from "./data.ts";
import { compareIds } from "../compare.ts";
import { MemoryWrites } from "./writes.ts";

export class MemoryTransaction extends MemoryWrites implements LedgerTransaction {
  deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): number {
    const { log } = this.data.keptThread(key);
    const isDelta = (row: LogRow): boolean => row.runId === runId && row.kind === "delta";
    const deltas = log.between(within?.first, within?.last).filter(isDelta);
    for (const { id } of deltas) this.journal.delete(log, id);
    if (deltas.length > 0) this.touch(key);
    return deltas.length;
  }

  deleteMessages(key: ThreadKey, ids: readonly string[]): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    const thread = this.data.keptThread(key);
    this.#keepLastId(key, thread);
    for (const id of ids) {
      this.#deleteBeside(thread, id);
      const row = thread.messages.get(id);
      if (row === undefined) continue;
      deleted.messages++;
      deleted.bytes += bytesOf(row.body);
      this.forgetMessage(row);
      this.journal.delete(thread.messages, id);
      this.touch(key, "updated");
    }
    return deleted;
  }

  deleteRuns(key: ThreadKey, ids: readonly string[]): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    const thread = this.data.keptThread(key);
    const { runs, log } = thread;
    this.#keepLastId(key, thread);
    const gone = new Set(ids);
    for (const id of gone) {
      const run = runs.get(id);
      if (run === undefined) continue;
      deleted.runs++;
      this.forgetRun(run);
      this.journal.delete(runs, id);
      this.touch(key, "updated");
    }
    for (const { name, runId } of thread.aliases.all()) if (gone.has(runId)) this.deleteAlias(key.tenant, name);
    for (const row of log.all()) {
      if (!gone.has(row.runId)) continue;
      deleted.logRows++;
      deleted.bytes += bytesOf(row.body);
      this.journal.delete(log, row.id);
      this.touch(key);
    }
    return deleted;
  }

  deleteThread(key: ThreadKey): DeletionCounts {
    const tenant = this.data.keptTenant(key.tenant);
    const { messages, runs, log, keys, aliases, blobRefs } = this.data.keptThread(key);
    const isThere = tenant.threads.get(key.threadId) !== undefined;
    for (const row of messages.all()) this.forgetMessage(row);
    for (const row of runs.all()) this.forgetRun(row);
    for (const { name } of aliases.all()) this.deleteAlias(key.tenant, name);
    this.journal.delete(this.data.work, nameOf(key));
    for (const ofMessage of blobRefs.all()) for (const ref of ofMessage.all()) this.countHolder(ref, -1);
    // The rest goes as a whole, and stays whole for the journal.
    this.journal.delete(tenant.data, key.threadId);
    this.journal.delete(tenant.threads, key.threadId);
    this.touch(key, "deleted");
    const bytes = [...messages.all(), ...log.all()].reduce((sum, { body }) => sum + bytesOf(body), 0);
    const counts = { messages: messages.size, runs: runs.size, logRows: log.size, keys: keys.size };
    return { ...NOTHING_DELETED, ...counts, threads: isThere ? 1 : 0, bytes };
  }

  deleteKeys(tenant: string, before: number): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    for (const { keys } of this.data.keptTenant(tenant).data.all()) {
      for (const [name, { createdAt }] of keys) {
        if (createdAt >= before) continue;
        deleted.keys++;
        this.journal.delete(keys, name);
      }
    }
    return deleted;
  }

  deleteBlobs(tenant: string, hashes: readonly string[], before: number): DeletionCounts {
    const deleted = { ...NOTHING_DELETED };
    const { blobs, holders } = this.data.keptTenant(tenant);
    for (const hash of hashes) {
      const blob = blobs.get(hash);
      if (blob === undefined || blob.createdAt >= before || holders.has(hash)) continue;
      deleted.blobs++;
      deleted.bytes += blob.size;
      this.journal.delete(blobs, hash);
      this.deleteChunks(tenant, blob.blobId);
    }
    return deleted;
  }

  deleteLooseBlobs(tenant: string, before: number): DeletionCounts {
    const { blobs, chunks } = this.data.keptTenant(tenant);
    const deleted = this.deleteBlobs(tenant, [...blobs.keys()], before);
    const named = new Set([...blobs.values()].map(({ blobId }) => blobId));
    const limit = idTime(before);
    for (const [blobId, ofBlob] of chunks) {
      if (named.has(blobId) || compareIds(blobId, limit) >= 0) continue;
      for (const { bytes } of ofBlob.values()) deleted.bytes += bytes.length;
      this.deleteChunks(tenant, blobId);
    }
    return deleted;
  }

  /** The newest row may be among those that go, and its id must not be given again. What was summed up no longer holds. */
  #keepLastId(key: ThreadKey, thread: ThreadData): void {
    this.journal.set(thread.purges, "purges", (thread.purges.get("purges") ?? 0) + 1);
    const lastId = this.thread(key)?.lastId ?? "";
    if (lastId !== "") this.journal.set(thread.lastId, "lastId", lastId);
  }

  /** What hangs on a message: blob references, the quarantine row, the search entry. */
  #deleteBeside(thread: ThreadData, messageId: string): void {
    for (const ref of thread.blobRefs.get(messageId)?.all() ?? []) this.countHolder(ref, -1);
    this.journal.delete(thread.blobRefs, messageId);
    this.journal.delete(thread.quarantine, messageId);
    this.journal.delete(thread.texts, messageId);
  }
}

const UTF8 = new TextEncoder();

function bytesOf(text: string): number {
  return UTF8.encode(text).length;
}
