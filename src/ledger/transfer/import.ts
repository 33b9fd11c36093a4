// Imports the lines of an export. Each thread is written in one transaction, so that it is imported completely or not
// at all. The rows of only one thread are in memory at a time, and only pieces of a blob.
import { LedgerError } from "../errors.ts";
import type { MessageRow, RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import type { ImportResult, ImportOptions } from "../types.ts";
import { LineReader } from "./line-reader.ts";
import type { ImportedThread } from "./import-thread.ts";
import { readThreadLines } from "./import-thread.ts";

/** The maximum number of rows that one call of the store inserts. */
const BATCH_SIZE = 500;

/**
 * Imports threads. A thread that exists already is not modified. If it contains every message, run and journal entry of
 * the file, it counts as known (its title, its active leaf and later states of its runs may differ); otherwise the
 * import throws "conflict". The threads before an invalid line are imported.
 */
export async function importLines(
  scope: LedgerScope,
  source: Iterable<string> | AsyncIterable<string>,
  { onThread }: ImportOptions = {},
): Promise<ImportResult> {
  const total: ImportResult = { threads: 0, messages: 0, runs: 0, blobs: 0, known: 0 };
  const lines = new LineReader(source);
  try {
    while (await lines.hasMore()) {
      const section = await readThreadLines(scope, lines);
      const isNew = await writeThread(scope, section);
      const count = 1 + section.messages.length + section.runs.length;
      total.blobs += section.newBlobs;
      total.known += section.knownBlobs + (isNew ? 0 : count);
      if (!isNew) continue;
      onThread?.(section.thread.id);
      total.threads++;
      total.messages += section.messages.length;
      total.runs += section.runs.length;
    }
  } finally {
    await lines.close();
  }
  return total;
}

/** Writes a thread and returns true; returns false if the thread exists with the same content. */
async function writeThread(scope: LedgerScope, section: ImportedThread): Promise<boolean> {
  const write = (): Promise<boolean> => scope.store.write((tx) => insertThreadRows(scope, tx, section));
  let isNew: boolean;
  try {
    isNew = await write();
  } catch (error) {
    // Another call may be importing the same thread. The second attempt finds the rows that the other call inserted.
    if (!(error instanceof LedgerError) || error.code !== "conflict" || error.line !== undefined) throw error;
    isNew = await write();
  }
  if (isNew) await reportFaults(scope, section);
  return isNew;
}

function* insertThreadRows(scope: LedgerScope, tx: LedgerTransaction, section: ImportedThread): Steps<boolean> {
  const { line, thread, messages, runs, states, entries, refs, aliases } = section;
  const key = { tenant: scope.tenant, threadId: thread.id };
  if ((yield* wait(tx.lockThread(key))) !== undefined) {
    yield* assertSameThread(tx, key, section);
    return false;
  }
  yield* wait(tx.insertThread(thread));
  for (let at = 0; at < messages.length; at += BATCH_SIZE) {
    yield* wait(tx.insertMessages(messages.slice(at, at + BATCH_SIZE)));
  }
  // References are inserted in the order of their hashes, as all writers of blobs do, so that writers cannot deadlock.
  const byHash = refs.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  for (let at = 0; at < byHash.length; at += BATCH_SIZE)
    yield* wait(tx.insertBlobRefs(byHash.slice(at, at + BATCH_SIZE)));
  for (const run of runs) {
    const existing = yield* wait(tx.run(scope.tenant, run.id));
    // Run ids are unique within the tenant, not only within the thread.
    if (existing !== undefined)
      throw createLineConflict(line, `The run ${run.id} exists in the thread "${existing.threadId}".`);
    yield* wait(tx.insertRun(run));
  }
  for (const rows of [states, entries]) {
    for (let at = 0; at < rows.length; at += BATCH_SIZE) yield* wait(tx.insertLog(rows.slice(at, at + BATCH_SIZE)));
  }
  for (const alias of aliases) {
    // An alias that exists already, for another run, is not changed.
    if ((yield* wait(tx.alias(scope.tenant, alias.name))) === undefined) yield* wait(tx.putAlias(alias));
  }
  return true;
}

function createLineConflict(line: number, message: string): LedgerError {
  return new LedgerError("conflict", `Line ${line}: ${message}`, { line });
}

function* assertSameThread(
  tx: LedgerTransaction,
  key: ThreadKey,
  { line, messages, runs, entries }: ImportedThread,
): Steps<void> {
  const conflict = (difference: string): LedgerError =>
    createLineConflict(line, `The thread "${key.threadId}" exists with other content: ${difference}.`);
  for (const row of messages) {
    const existing = yield* wait(tx.message(key, row.id));
    if (existing === undefined) throw conflict(`it has no message ${row.id}`);
    if (!isSameMessage(existing, row)) throw conflict(`its message ${row.id} differs`);
  }
  for (const row of entries) {
    const [existing] = yield* wait(tx.log(key, { runId: "", upTo: row.id, order: "desc", limit: 1 }));
    if (existing?.id !== row.id) throw conflict(`it has no entry ${row.id}`);
    if (existing.body !== row.body) throw conflict(`its entry ${row.id} differs`);
  }
  const known = new Map((yield* wait(tx.runs(key))).map((run) => [run.id, run]));
  for (const run of runs) {
    const existing = known.get(run.id);
    if (existing === undefined) throw conflict(`it has no run ${run.id}`);
    if (!isSameRun(existing, run)) throw conflict(`its run ${run.id} differs`);
  }
}

function isSameMessage(a: MessageRow, b: MessageRow): boolean {
  return a.parentId === b.parentId && a.runId === b.runId && a.role === b.role && a.body === b.body;
}

/** True if an existing run equals the imported run. A run that was exported as committed may be superseded by now. */
function isSameRun(existing: RunRow, run: RunRow): boolean {
  const isSameState = existing.state === run.state || (existing.state === "superseded" && run.state === "committed");
  return (
    isSameState &&
    existing.createdAt === run.createdAt &&
    existing.mode === run.mode &&
    existing.forkFromId === run.forkFromId
  );
}

/** Reports the imported messages that cannot be read, and references to blobs that do not exist. */
async function reportFaults(scope: LedgerScope, { faults, refs }: ImportedThread): Promise<void> {
  for (const fault of faults) scope.report(fault);
  const blobExists = new Map<string, boolean>();
  for (const { threadId, messageId, hash } of refs) {
    if (!blobExists.has(hash)) blobExists.set(hash, (await scope.store.reads.blob(scope.tenant, hash)) !== undefined);
    if (blobExists.get(hash) === false)
      scope.report({ threadId, messageId, reason: `The blob ${hash} does not exist.` });
  }
}
