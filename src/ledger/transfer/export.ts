// Exports a thread as lines. The lines of a thread are byte for byte the same from every kind of store. Exporting an
// imported thread yields the same lines again.
import { findBlobFault, readBlob } from "../blobs/index.ts";
import { activeLeaf } from "../messages/active-leaf.ts";
import { entryPages, logPages, messagePages } from "../pages.ts";
import type { MessageRow, RunRow, ThreadHead } from "../store/rows.ts";
import { isLive } from "../runs/transitions.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { requireThreadHead, toThreadKey } from "../threads/threads.ts";
import { FORMAT, FORMAT_VERSION, BLOB_PIECE_SIZE, encodeLine } from "./line-format.ts";
import { inspectMessage } from "./message-row-faults.ts";

/** The maximum number of attempts to read a thread and its runs without a change between the reads. */
const MAX_ATTEMPTS = 20;

/**
 * Yields the lines of a thread as of the time of the call. Unreadable messages are exported unchanged and reported;
 * unreadable blobs are only reported.
 */
export async function* exportThread(scope: LedgerScope, threadId: string): AsyncGenerator<string, void, void> {
  const key = toThreadKey(scope, threadId);
  const { head, runs } = await readSnapshot(scope, key);
  yield encodeThreadLine(head);
  const references = await readBlobReferences(scope, key, head.lastId);
  yield* encodeBlobLines(scope, key, references);
  const counts = { messages: 0, runs: runs.length, states: 0 };
  for await (const rows of messagePages(scope, key, head.lastId)) {
    for (const row of rows) {
      const { blobs, fault } = inspectMessage(row);
      if (fault !== undefined) scope.report({ threadId: key.threadId, messageId: row.id, reason: fault });
      yield encodeMessageLine(row, listUnderivableBlobs(references.get(row.id) ?? [], blobs));
    }
    counts.messages += rows.length;
  }
  const aliases = Map.groupBy(await scope.store.reads.aliases(key), ({ runId }) => runId);
  for (const run of runs)
    yield encodeRunLine(
      run,
      aliases.get(run.id)?.map(({ name }) => name),
    );
  const exported = new Set(runs.map((run) => run.id));
  for await (const rows of logPages(scope, key, head.lastId)) {
    for (const row of rows) {
      if (row.kind !== "run" || !exported.has(row.runId)) continue;
      counts.states++;
      yield encodeLine({ kind: "state", id: row.id, runId: row.runId }, { body: row.body });
    }
  }
  let entries = 0;
  for await (const rows of entryPages(scope, key, head.lastId)) {
    for (const { id, body } of rows) yield encodeLine({ kind: "entry", id }, { body });
    entries += rows.length;
  }
  // Throws if the thread was deleted meanwhile: the export is incomplete and must not have an end line.
  await requireThreadHead(scope, key);
  yield encodeLine({ kind: "end", ...counts, ...(entries > 0 && { entries }) });
}

function encodeThreadLine(head: ThreadHead): string {
  const { id, title, scope, kind, createdAt, metadata } = head;
  const header = { format: FORMAT, version: FORMAT_VERSION, kind: "thread", id, title, scope, createdAt };
  const fields = { ...header, activeLeafId: activeLeaf(head) };
  return encodeLine(kind === null ? fields : { ...fields, threadKind: kind }, { metadata });
}

/**
 * Reads a thread and its finished runs as of one moment. Repeats the reads if the thread's last id changed between
 * them, because every change of a run changes the last id.
 */
async function readSnapshot(scope: LedgerScope, key: ThreadKey): Promise<{ head: ThreadHead; runs: RunRow[] }> {
  for (let tries = 1; ; tries++) {
    const head = await requireThreadHead(scope, key);
    const runs = await scope.store.reads.runs(key);
    const { lastId } = await requireThreadHead(scope, key);
    // After the last attempt the result is returned anyway; a run that ended between the reads may then be missing.
    if (lastId !== head.lastId && tries < MAX_ATTEMPTS) continue;
    const finished = runs.filter(({ state }) => !isLive(state));
    return { head, runs: finished.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}

/** Returns the hashes of the blobs that the messages up to `upTo` reference, by message id. */
async function readBlobReferences(scope: LedgerScope, key: ThreadKey, upTo: string): Promise<Map<string, string[]>> {
  const refs = (await scope.store.reads.blobRefs(key)).filter(({ messageId }) => messageId <= upTo);
  const byMessage = Map.groupBy(refs, ({ messageId }) => messageId);
  return new Map(Array.from(byMessage, ([id, ofMessage]) => [id, ofMessage.map(({ hash }) => hash)]));
}

/**
 * Returns the blob references that the message line must list: all references of the message, or undefined if an import
 * can derive them from the body, because the body contains the same references.
 */
function listUnderivableBlobs(references: readonly string[], inBody: readonly string[]): readonly string[] | undefined {
  return references.length === inBody.length && inBody.every((hash) => references.includes(hash))
    ? undefined
    : references;
}

async function* encodeBlobLines(
  scope: LedgerScope,
  key: ThreadKey,
  references: ReadonlyMap<string, readonly string[]>,
): AsyncGenerator<string, void, void> {
  const firstMessages = new Map<string, string>();
  for (const [messageId, hashes] of references) {
    for (const hash of hashes) if (!firstMessages.has(hash)) firstMessages.set(hash, messageId);
  }
  for (const [hash, messageId] of [...firstMessages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // The blob is checked before its first line is written, because an incomplete blob would make the export invalid.
    const fault = await findBlobFault(scope, hash);
    if (fault === undefined) yield* encodeBlobPieces(scope, hash);
    else scope.report({ threadId: key.threadId, messageId, reason: fault });
  }
}

async function* encodeBlobPieces(scope: LedgerScope, hash: string): AsyncGenerator<string, void, void> {
  const { size = 0 } = (await scope.store.reads.blob(scope.tenant, hash)) ?? {};
  let at = 0;
  let pending: Uint8Array = new Uint8Array();
  const line = (bytes: Uint8Array): string => {
    const text = encodeLine({ kind: "blob", hash, size, at, data: Buffer.from(bytes).toString("base64") });
    at += bytes.length;
    return text;
  };
  for await (const bytes of readBlob(scope, hash)) {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    // Pieces have a fixed length, so that the lines do not depend on the size of the store's chunks.
    for (; pending.length >= BLOB_PIECE_SIZE; pending = pending.subarray(BLOB_PIECE_SIZE))
      yield line(pending.subarray(0, BLOB_PIECE_SIZE));
  }
  if (pending.length > 0 || size === 0) yield line(pending);
}

function encodeMessageLine(
  { id, parentId, runId, role, digest, body }: MessageRow,
  blobs: readonly string[] | undefined,
): string {
  const fields = { kind: "message", id, parentId, runId, role, digest };
  return encodeLine(blobs === undefined ? fields : { ...fields, blobs }, { body });
}

function encodeRunLine(run: RunRow, aliases: readonly string[] | undefined): string {
  const { id, state, mode, forks, forkFromId, idempotencyKey, epoch, createdAt, finishedAt } = run;
  const { error, usage, metadata, firstDeltaId, lastDeltaId, lastSeq } = run;
  const fields = { id, state, mode, forks, forkFromId, idempotencyKey, epoch, createdAt, finishedAt };
  const allFields = { kind: "run", ...fields, firstDeltaId, lastDeltaId, lastSeq, ...(aliases && { aliases }) };
  return encodeLine(allFields, { error, usage, metadata });
}
