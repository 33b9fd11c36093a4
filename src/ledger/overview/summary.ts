// What a list shows of a thread beside its name: how much it holds, what it cost, who answered, and how it begins. Many
// threads are read together, and of each only what came since it was last listed here.
import { decodeTime } from "ulid";
import { parseJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import { FIRST_MESSAGES, type ListedHead } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { LedgerStore } from "../store.ts";
import { isoTime } from "../times.ts";
import { KnownThread, knownThreads, LAST_RUNS } from "./known.ts";
import { Pace } from "./pace.ts";
import { previewOfStored } from "./preview.ts";
import type { ThreadSummary } from "./types.ts";

/** Threads that are read together. */
const TOGETHER = 50;
/** Runs of each of them that are read at a time. */
const RUNS_AT_A_TIME = 25;
const PREVIEW = 120;

/** The summaries of these threads, by id. */
export async function summaries(scope: Scope, heads: readonly ListedHead[]): Promise<Map<string, ThreadSummary>> {
  return inTurn(scope, async () => {
    const threads = knownThreads(scope.store);
    const known = new Map<string, KnownThread>();
    const stale: Stale[] = [];
    for (const head of heads) {
      const thread = threads.get(scope.tenant, head);
      if (thread?.lastId === head.lastId) known.set(head.id, thread);
      else stale.push({ head, thread: thread ?? new KnownThread(head), isNew: thread === undefined });
    }
    for (let at = 0; at < stale.length; at += TOGETHER) {
      const some = stale.slice(at, at + TOGETHER);
      await readOn(scope, some);
      for (const { head, thread } of some) {
        threads.keep(scope.tenant, head.id, thread);
        known.set(head.id, thread);
      }
    }
    return new Map(heads.flatMap((head) => summaryOf(head, known.get(head.id))));
  });
}

function summaryOf(head: ListedHead, known: KnownThread | undefined): [string, ThreadSummary][] {
  if (known === undefined) return [];
  const { messages, models, live, preview = "", usage } = known;
  const summary: ThreadSummary = { updatedAt: updatedAt(head), messages, models, live: live.size, preview };
  // The sum goes on.
  if (usage !== undefined) summary.usage = { ...usage };
  return [[head.id, summary]];
}

const TIMED = /^[0-7][0-9A-HJKMNP-TV-Z]{9,25}$/;
const ID_LENGTH = 26;

/** Ids, and how they begin, tell the time of what they name. */
function updatedAt({ lastActivity, createdAt }: ListedHead): string {
  if (!TIMED.test(lastActivity)) return createdAt;
  const last = isoTime(decodeTime(lastActivity.padEnd(ID_LENGTH, "0")));
  return last > createdAt ? last : createdAt;
}

/** A thread of which not everything is known. */
interface Stale {
  head: ListedHead;
  thread: KnownThread;
  isNew: boolean;
}

/** Brings what is known up to what the heads say; nothing changes where a read fails. */
async function readOn(scope: Scope, stale: readonly Stale[]): Promise<void> {
  const { store, tenant } = scope;
  const places = stale.map(({ head, thread }) => ({
    threadId: head.id,
    after: thread.lastId,
    upTo: head.lastId,
    first: thread.preview === undefined && thread.messages < FIRST_MESSAGES,
  }));
  const seen = stale.filter(({ isNew }) => !isNew);
  const [tallies, changed] = await Promise.all([
    store.reads.tallies(tenant, places),
    store.reads.changedRuns(
      tenant,
      seen.map(({ head, thread }) => ({ threadId: head.id, after: thread.lastId })),
    ),
    readRuns(
      scope,
      stale.filter(({ isNew }) => isNew),
    ),
  ]);
  const previews = await Promise.all(
    tallies.map(async ({ firstUserBody: body }) => (body === null ? undefined : beginning(scope, body))),
  );
  const byId = new Map(stale.map(({ head, thread }) => [head.id, thread]));
  for (const run of changed) byId.get(run.threadId)?.look(run, scope.report);
  for (const [at, { threadId, messages }] of tallies.entries()) {
    const thread = byId.get(threadId);
    if (thread === undefined) continue;
    thread.messages += messages;
    thread.preview ??= previews[at];
  }
  for (const { head, thread } of stale) thread.lastId = head.lastId;
}

/** All runs of threads that nothing is known of: the last as they are, of the others what they cost. */
async function readRuns(scope: Scope, fresh: readonly Stale[]): Promise<void> {
  const { store, tenant } = scope;
  const threads = new Map(fresh.map(({ head, thread }) => [head.id, thread]));
  const last = await store.reads.lastRuns(tenant, [...threads.keys()], LAST_RUNS);
  for (const run of last) threads.get(run.threadId)?.look(run, scope.report);
  const pace = new Pace();
  let places = next(last, LAST_RUNS);
  while (places.length > 0) {
    await pace.rest();
    const usages = await store.reads.usages(tenant, places, RUNS_AT_A_TIME);
    for (const run of usages) threads.get(run.threadId)?.count(run);
    places = next(usages, RUNS_AT_A_TIME);
  }
}

/** Where the threads go on of which as many runs came as were asked for. */
function next(
  runs: readonly { threadId: string; id: string }[],
  limit: number,
): { threadId: string; before: string }[] {
  return [...Map.groupBy(runs, ({ threadId }) => threadId)].flatMap(([threadId, own]) =>
    own.length < limit ? [] : [{ threadId, before: own.reduce((least, { id }) => (id < least ? id : least), "~") }],
  );
}

/** How the text of a message's body begins. */
async function beginning(scope: Scope, body: string): Promise<string> {
  try {
    const message = parseJson(body);
    return isObject(message) ? await previewOfStored(scope, message, PREVIEW) : "";
  } catch {
    // It is reported by whoever reads it.
    return "";
  }
}

/** By tenant, whoever reads now. */
const turns = new WeakMap<LedgerStore, Map<string, Promise<unknown>>>();

/** One after the other for each tenant: who comes second finds what the first has read. */
async function inTurn<T>({ store, tenant }: Scope, work: () => Promise<T>): Promise<T> {
  const ofStore = turns.get(store) ?? new Map<string, Promise<unknown>>();
  turns.set(store, ofStore);
  const turn = (ofStore.get(tenant) ?? Promise.resolve()).then(work, work);
  ofStore.set(tenant, turn);
  try {
    return await turn;
  } finally {
    if (ofStore.get(tenant) === turn) ofStore.delete(tenant);
  }
}
