// Creates rows for store checks, with default values that a check can override.
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
} from "../../ledger/store/rows.ts";
import type { ThreadKey } from "../../ledger/store/contract.ts";

/** Returns an id with the length and characters of a ULID; the ids have the same order as the numbers. */
export function toTestId(ordinal: number): string {
  return String(ordinal).padStart(26, "0");
}

/** Returns the number of an id that `toTestId` created; 0 for an empty id. */
export function readTestId(id: string): number {
  return Number(id);
}

/** Returns a blob hash that begins with "sha256-" and the name. */
export function toTestHash(name: string): string {
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

export function messageRow(key: ThreadKey, ordinal: number, changes: Partial<MessageRow> = {}): MessageRow {
  return {
    tenant: key.tenant,
    threadId: key.threadId,
    id: toTestId(ordinal),
    parentId: ordinal > 1 ? toTestId(ordinal - 1) : null,
    runId: null,
    role: "user",
    digest: "",
    body: `{"number":${ordinal}}`,
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

/** Returns a run that has ended and has deltas in the log. */
export function endedRun(key: ThreadKey, id: string, finishedAt: number, changes: Partial<RunRow> = {}): RunRow {
  const deltas = { firstDeltaId: toTestId(1), lastDeltaId: toTestId(2), lastSeq: 1 };
  return runRow(key, id, { state: "committed", finishedAt, ...deltas, ...changes });
}

export function logRow(key: ThreadKey, ordinal: number, changes: Partial<LogRow> = {}): LogRow {
  const { tenant, threadId } = key;
  return { tenant, threadId, id: toTestId(ordinal), runId: "run", kind: "delta", body: `[${ordinal}]`, ...changes };
}

export function keyRow(key: ThreadKey, name: string, changes: Partial<KeyRow> = {}): KeyRow {
  const { tenant, threadId } = key;
  return { tenant, threadId, key: name, hash: "hash", result: '{"runId":"run"}', createdAt: 1_000, ...changes };
}

/**
 * Returns the id of a blob whose upload began in millisecond 1,000: a ULID, whose first ten characters are the time.
 */
function blobIdOf(hash: string): string {
  return `00000000Z8${hash.slice(7, 23).toUpperCase()}`;
}

export function blobRow(tenant: string, hash: string, changes: Partial<BlobRow> = {}): BlobRow {
  return { tenant, hash, blobId: blobIdOf(hash), size: 3, createdAt: 1_000, ...changes };
}

export function chunkRow(tenant: string, blobId: string, position: number, bytes = [1, 2, position]): ChunkRow {
  return { tenant, blobId, position, bytes: Uint8Array.from(bytes) };
}

export function refRow({ tenant, threadId }: ThreadKey, ordinal: number, hash: string): BlobRefRow {
  return { tenant, threadId, messageId: toTestId(ordinal), hash };
}

export function quarantineRow({ tenant, threadId }: ThreadKey, ordinal: number, reason = "torn"): QuarantineRow {
  const foundAt = "2026-01-02T00:00:00.000Z";
  return { tenant, threadId, messageId: toTestId(ordinal), reason, body: '{"to', foundAt };
}

export function aliasRow({ tenant, threadId }: ThreadKey, name: string, runId = "run"): AliasRow {
  return { tenant, name, threadId, runId };
}

/** Returns a work request without a lease. */
export function workRow({ tenant, threadId }: ThreadKey, changes: Partial<WorkRow> = {}): WorkRow {
  return { tenant, threadId, wants: 1, wantedAt: 1_000, holder: null, leaseId: null, leaseUntil: 0, ...changes };
}
