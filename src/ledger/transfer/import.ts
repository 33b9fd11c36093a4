// Lines of an export into the ledger: thread by thread, each in one transaction, so that a thread is there with all it
// had or not at all. Memory holds the messages of one thread, never a blob.
import { LedgerError } from "../errors.ts";
import type { MessageRow, RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import type { ImportResult, ImportOptions } from "../types.ts";
import { Lines } from "./lines.ts";
import type { Section } from "./section.ts";
import { readSection } from "./section.ts";

/** Rows that go to the store at once. */
const BATCH = 500;

/**
 * Imports threads. One that is there already must have every record of the file, and the same: it counts as known, and
 * stays as it is (title, active leaf and later states of runs may have moved on). Anything else is a conflict. Threads
 * before a line that is refused are imported.
 */
export async function importLines(
  scope: Scope,
  source: Iterable<string> | AsyncIterable<string>,
  { onThread }: ImportOptions = {},
): Promise<ImportResult> {
  const total: ImportResult = { threads: 0, messages: 0, runs: 0, blobs: 0, known: 0 };
  const lines = new Lines(source);
  try {
    while (await lines.hasMore()) {
      const section = await readSection(scope, lines);
      const isNew = await writeSection(scope, section);
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

/** Says whether the thread is new. */
async function writeSection(scope: Scope, section: Section): Promise<boolean> {
  const write = (): Promise<boolean> => scope.store.write((tx) => insertSection(scope, tx, section));
  let isNew: boolean;
  try {
    isNew = await write();
  } catch (error) {
    // Two may import the same at the same time: the second look finds what the other has written.
    if (!(error instanceof LedgerError) || error.code !== "conflict" || error.line !== undefined) throw error;
    isNew = await write();
  }
  if (isNew) await reportFaults(scope, section);
  return isNew;
}

function* insertSection(scope: Scope, tx: LedgerTransaction, section: Section): Steps<boolean> {
  const { line, thread, messages, runs, states, entries, refs, aliases } = section;
  const key = { tenant: scope.tenant, threadId: thread.id };
  if ((yield* got(tx.lockThread(key))) !== undefined) {
    yield* demandSame(tx, key, section);
    return false;
  }
  yield* got(tx.insertThread(thread));
  for (let at = 0; at < messages.length; at += BATCH) {
    yield* got(tx.insertMessages(messages.slice(at, at + BATCH)));
  }
  // By hash, as everybody who locks blobs goes.
  const byHash = refs.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  for (let at = 0; at < byHash.length; at += BATCH) yield* got(tx.insertBlobRefs(byHash.slice(at, at + BATCH)));
  for (const run of runs) {
    const there = yield* got(tx.run(scope.tenant, run.id));
    // Runs are asked for without their thread.
    if (there !== undefined) throw conflictAt(line, `The run ${run.id} is one of the thread "${there.threadId}".`);
    yield* got(tx.insertRun(run));
  }
  for (const rows of [states, entries]) {
    for (let at = 0; at < rows.length; at += BATCH) yield* got(tx.insertLog(rows.slice(at, at + BATCH)));
  }
  for (const alias of aliases) {
    // A name that a run here has stays with it.
    if ((yield* got(tx.alias(scope.tenant, alias.name))) === undefined) yield* got(tx.putAlias(alias));
  }
  return true;
}

function conflictAt(line: number, message: string): LedgerError {
  return new LedgerError("conflict", `Line ${line}: ${message}`, { line });
}

function* demandSame(tx: LedgerTransaction, key: ThreadKey, { line, messages, runs, entries }: Section): Steps<void> {
  const conflict = (what: string): LedgerError =>
    conflictAt(line, `The thread "${key.threadId}" is here, but ${what}.`);
  for (const row of messages) {
    const there = yield* got(tx.message(key, row.id));
    if (there === undefined) throw conflict(`without the message ${row.id}`);
    if (!isSameMessage(there, row)) throw conflict(`its message ${row.id} is another one`);
  }
  for (const row of entries) {
    const [there] = yield* got(tx.log(key, { runId: "", upTo: row.id, order: "down", limit: 1 }));
    if (there?.id !== row.id) throw conflict(`without the entry ${row.id}`);
    if (there.body !== row.body) throw conflict(`its entry ${row.id} is another one`);
  }
  const known = new Map((yield* got(tx.runs(key))).map((run) => [run.id, run]));
  for (const run of runs) {
    const there = known.get(run.id);
    if (there === undefined) throw conflict(`without the run ${run.id}`);
    if (!isSameRun(there, run)) throw conflict(`its run ${run.id} is another one`);
  }
}

function isSameMessage(a: MessageRow, b: MessageRow): boolean {
  return a.parentId === b.parentId && a.runId === b.runId && a.role === b.role && a.body === b.body;
}

/** A run that was committed may have been superseded since. */
function isSameRun(there: RunRow, run: RunRow): boolean {
  const isSameState = there.state === run.state || (there.state === "superseded" && run.state === "committed");
  return (
    isSameState && there.createdAt === run.createdAt && there.mode === run.mode && there.forkFromId === run.forkFromId
  );
}

/** What cannot be read was imported as it is; the caller hears of it. */
async function reportFaults(scope: Scope, { faults, refs }: Section): Promise<void> {
  for (const fault of faults) scope.report(fault);
  const there = new Map<string, boolean>();
  for (const { threadId, messageId, hash } of refs) {
    if (!there.has(hash)) there.set(hash, (await scope.store.reads.blob(scope.tenant, hash)) !== undefined);
    if (there.get(hash) === false) scope.report({ threadId, messageId, reason: `There is no blob ${hash}.` });
  }
}
