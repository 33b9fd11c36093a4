// A thread as lines: byte for byte the same from every store that holds it, and again after an import.
import { faultOf, readBlob } from "../blobs/index.ts";
import { activeLeaf } from "../leaf.ts";
import { entryPages, logPages, messagePages } from "../pages.ts";
import type { MessageRow, RunRow, ThreadHead } from "../rows.ts";
import { isLive } from "../runs/transitions.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { threadHead, threadKey } from "../threads.ts";
import { FORMAT, FORMAT_VERSION, PIECE, writeLine } from "./format.ts";
import { surveyRow } from "./survey.ts";

/** How often to look again where runs change while they are read. */
const PATIENCE = 20;

/** The lines of a thread as it is when they are asked for. Records that cannot be read go along, and are reported. */
export async function* exportThread(scope: Scope, threadId: string): AsyncGenerator<string, void, void> {
  const key = threadKey(scope, threadId);
  const { head, runs } = await moment(scope, key);
  yield threadLine(head);
  const held = await heldBlobs(scope, key, head.lastId);
  yield* blobLines(scope, key, held);
  const counts = { messages: 0, runs: runs.length, states: 0 };
  for await (const rows of messagePages(scope, key, head.lastId)) {
    for (const row of rows) {
      const { blobs, fault } = surveyRow(row);
      if (fault !== undefined) scope.report({ threadId: key.threadId, messageId: row.id, reason: fault });
      yield messageLine(row, unlike(held.get(row.id) ?? [], blobs));
    }
    counts.messages += rows.length;
  }
  const aliases = Map.groupBy(await scope.store.reads.aliases(key), ({ runId }) => runId);
  for (const run of runs)
    yield runLine(
      run,
      aliases.get(run.id)?.map(({ name }) => name),
    );
  const exported = new Set(runs.map((run) => run.id));
  for await (const rows of logPages(scope, key, head.lastId)) {
    for (const row of rows) {
      if (row.kind !== "run" || !exported.has(row.runId)) continue;
      counts.states++;
      yield writeLine({ kind: "state", id: row.id, runId: row.runId }, { body: row.body });
    }
  }
  let entries = 0;
  for await (const rows of entryPages(scope, key, head.lastId)) {
    for (const { id, body } of rows) yield writeLine({ kind: "entry", id }, { body });
    entries += rows.length;
  }
  // One that was deleted meanwhile has no end: what was read of it is not all it had.
  await threadHead(scope, key);
  yield writeLine({ kind: "end", ...counts, ...(entries > 0 && { entries }) });
}

function threadLine(head: ThreadHead): string {
  const { id, title, scope, kind, createdAt, metadata } = head;
  const about = { format: FORMAT, version: FORMAT_VERSION, kind: "thread", id, title, scope, createdAt };
  const fields = { ...about, activeLeafId: activeLeaf(head) };
  return writeLine(kind === null ? fields : { ...fields, threadKind: kind }, { metadata });
}

/** The thread and its finished runs, as they were together. Every change of a run moves the end of the thread's history. */
async function moment(scope: Scope, key: ThreadKey): Promise<{ head: ThreadHead; runs: RunRow[] }> {
  for (let tries = 1; ; tries++) {
    const head = await threadHead(scope, key);
    const runs = await scope.store.reads.runs(key);
    const { lastId } = await threadHead(scope, key);
    // Where it never rests, at worst a run is missing that ended meanwhile.
    if (lastId !== head.lastId && tries < PATIENCE) continue;
    const finished = runs.filter(({ state }) => !isLive(state));
    return { head, runs: finished.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}

/** The blobs that messages up to an id hold, by message. */
async function heldBlobs(scope: Scope, key: ThreadKey, upTo: string): Promise<Map<string, string[]>> {
  const refs = (await scope.store.reads.blobRefs(key)).filter(({ messageId }) => messageId <= upTo);
  const held = Map.groupBy(refs, ({ messageId }) => messageId);
  return new Map(Array.from(held, ([id, ofMessage]) => [id, ofMessage.map(({ hash }) => hash)]));
}

/** What a message holds, where its body does not tell. */
function unlike(held: readonly string[], told: readonly string[]): readonly string[] | undefined {
  return held.length === told.length && told.every((hash) => held.includes(hash)) ? undefined : held;
}

async function* blobLines(
  scope: Scope,
  key: ThreadKey,
  held: ReadonlyMap<string, readonly string[]>,
): AsyncGenerator<string, void, void> {
  const holders = new Map<string, string>();
  for (const [messageId, hashes] of held) {
    for (const hash of hashes) if (!holders.has(hash)) holders.set(hash, messageId);
  }
  for (const [hash, messageId] of [...holders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Before its first line is out: half a blob would make the whole export unreadable.
    const fault = await faultOf(scope, hash);
    if (fault === undefined) yield* piecesOf(scope, hash);
    else scope.report({ threadId: key.threadId, messageId, reason: fault });
  }
}

async function* piecesOf(scope: Scope, hash: string): AsyncGenerator<string, void, void> {
  const { size = 0 } = (await scope.store.reads.blob(scope.tenant, hash)) ?? {};
  let at = 0;
  let held: Uint8Array = new Uint8Array();
  const line = (bytes: Uint8Array): string => {
    const text = writeLine({ kind: "blob", hash, size, at, data: Buffer.from(bytes).toString("base64") });
    at += bytes.length;
    return text;
  };
  for await (const bytes of readBlob(scope, hash)) {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    // Pieces of one length, whatever that of the rows is.
    for (; held.length >= PIECE; held = held.subarray(PIECE)) yield line(held.subarray(0, PIECE));
  }
  if (held.length > 0 || size === 0) yield line(held);
}

function messageLine(
  { id, parentId, runId, role, digest, body }: MessageRow,
  blobs: readonly string[] | undefined,
): string {
  const fields = { kind: "message", id, parentId, runId, role, digest };
  return writeLine(blobs === undefined ? fields : { ...fields, blobs }, { body });
}

function runLine(run: RunRow, aliases: readonly string[] | undefined): string {
  const { id, state, mode, forks, forkFromId, idempotencyKey, epoch, createdAt, finishedAt } = run;
  const { error, usage, metadata, firstDeltaId, lastDeltaId, lastSeq } = run;
  const fields = { id, state, mode, forks, forkFromId, idempotencyKey, epoch, createdAt, finishedAt };
  const all = { kind: "run", ...fields, firstDeltaId, lastDeltaId, lastSeq, ...(aliases && { aliases }) };
  return writeLine(all, { error, usage, metadata });
}
