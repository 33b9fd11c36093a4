// Rows for trying a store: plain ones, in which a case changes what it is about.
import type {
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  KeyRow,
  LogRow,
  MessageRow,
  QuarantineRow,
  RunRow,
  ThreadRow,
  WorkRow,
} from "../../ledger/rows.ts";
import type { ThreadKey } from "../../ledger/store.ts";

/** An id in the order of numbers, of a ULID's length and characters. */
export function idOf(number: number): string {
  return String(number).padStart(26, "0");
}

/** The number of an id; 0 where there is none. */
export function numberOf(id: string): number {
  return Number(id);
}

/** A blob's hash. */
export function hashOf(name: string): string {
  return `sha256-${name.padEnd(64, "0")}`;
}

export function threadRow({ tenant, threadId }: ThreadKey, changes: Partial<ThreadRow> = {}): ThreadRow {
  return {
    tenant,
    id: threadId,
    title: null,
    scope: null,
    kind: null,
    metadata: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    pinned: false,
    leafId: null,
    ...changes,
  };
}

export function messageRow(key: ThreadKey, number: number, changes: Partial<MessageRow> = {}): MessageRow {
  return {
    tenant: key.tenant,
    threadId: key.threadId,
    id: idOf(number),
    parentId: number > 1 ? idOf(number - 1) : null,
    runId: null,
    role: "user",
    digest: "",
    body: `{"number":${number}}`,
    ...changes,
  };
}

export function runRow(key: ThreadKey, id: string, changes: Partial<RunRow> = {}): RunRow {
  return {
    tenant: key.tenant,
    threadId: key.threadId,
    id,
    state: "created",
    mode: "replace",
    forks: false,
    forkFromId: null,
    idempotencyKey: null,
    epoch: 1,
    leaseUntil: 1_000,
    createdAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    error: null,
    usage: null,
    metadata: null,
    firstDeltaId: null,
    lastDeltaId: null,
    lastSeq: -1,
    compacted: false,
    ...changes,
  };
}

/** A run that has ended, with deltas in the log. */
export function endedRun(key: ThreadKey, id: string, finishedAt: number, changes: Partial<RunRow> = {}): RunRow {
  const deltas = { firstDeltaId: idOf(1), lastDeltaId: idOf(2), lastSeq: 1 };
  return runRow(key, id, { state: "committed", finishedAt, ...deltas, ...changes });
}

export function logRow(key: ThreadKey, number: number, changes: Partial<LogRow> = {}): LogRow {
  const { tenant, threadId } = key;
  return { tenant, threadId, id: idOf(number), runId: "run", kind: "delta", body: `[${number}]`, ...changes };
}

export function keyRow(key: ThreadKey, name: string, changes: Partial<KeyRow> = {}): KeyRow {
  const { tenant, threadId } = key;
  return { tenant, threadId, key: name, hash: "hash", result: '{"runId":"run"}', createdAt: 1_000, ...changes };
}

/** The id of a blob whose upload began in millisecond 1,000. */
function blobIdOf(hash: string): string {
  return `00000000Z8${hash.slice(7, 23).toUpperCase()}`;
}

export function blobRow(tenant: string, hash: string, changes: Partial<BlobRow> = {}): BlobRow {
  return { tenant, hash, blobId: blobIdOf(hash), size: 3, createdAt: 1_000, ...changes };
}

export function chunkRow(tenant: string, blobId: string, position: number, bytes = [1, 2, position]): ChunkRow {
  return { tenant, blobId, position, bytes: Uint8Array.from(bytes) };
}

export function refRow({ tenant, threadId }: ThreadKey, number: number, hash: string): BlobRefRow {
  return { tenant, threadId, messageId: idOf(number), hash };
}

export function quarantineRow({ tenant, threadId }: ThreadKey, number: number, reason = "torn"): QuarantineRow {
  const foundAt = "2026-01-02T00:00:00.000Z";
  return { tenant, threadId, messageId: idOf(number), reason, body: '{"to', foundAt };
}

export function aliasRow({ tenant, threadId }: ThreadKey, name: string, runId = "run"): AliasRow {
  return { tenant, name, threadId, runId };
}

/** Work that nobody holds. */
export function workRow({ tenant, threadId }: ThreadKey, changes: Partial<WorkRow> = {}): WorkRow {
  return { tenant, threadId, wants: 1, wantedAt: 1_000, holder: null, leaseId: null, leaseUntil: 0, ...changes };
}
