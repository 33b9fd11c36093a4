// Reads the ledger at the end of an episode, without the server.
import { setTimeout as pause } from "node:timers/promises";
import type { Ledger, RunInfo, Thread } from "../../../src/ledger/index.ts";
import type { ReceivedEvent, ThreadEvidence } from "./evidence.ts";

const PAGE = 200;
/** Longer than a lease and a recovery interval. */
const SETTLE_MS = 20_000;
/** An entry at the end of a thread's history: a reader that has it has received everything. */
const END = "campaign.end";

async function allThreads(ledger: Ledger): Promise<Thread[]> {
  const threads: Thread[] = [];
  for (let before: string | undefined; ;) {
    const page = await ledger.threads({ limit: PAGE, before });
    threads.push(...page);
    if (page.length < PAGE) return threads;
    before = page.at(-1)?.id;
  }
}

const isAlive = ({ state }: RunInfo): boolean => state === "created" || state === "streaming";

/** Waits until no run is live, with a limit. */
export async function settle(ledger: Ledger): Promise<void> {
  const giveUp = performance.now() + SETTLE_MS;
  let open = await allThreads(ledger);
  while (open.length > 0 && performance.now() < giveUp) {
    const runs = await Promise.all(open.map(({ id }) => ledger.runs(id)));
    open = open.filter((_, at) => runs[at]?.some(isAlive));
    if (open.length > 0) await pause(100);
  }
}

export async function readThreads(ledger: Ledger): Promise<ThreadEvidence[]> {
  const evidence: ThreadEvidence[] = [];
  for (const { id } of await allThreads(ledger)) {
    const [path, { messages: tree }, runs] = [
      await ledger.transcript(id),
      await ledger.tree(id),
      await ledger.runs(id),
    ];
    evidence.push({ id, path, tree, runs });
  }
  return evidence;
}

export async function writeEnd(ledger: Ledger, threadId: string): Promise<void> {
  await ledger.log(threadId, [{ type: END }]);
}

export function isEnd({ data }: ReceivedEvent): boolean {
  // The fields of an entry event.
  return data["type"] === "entry" && (data["entry"] as { type?: string }).type === END;
}

/** Returns all events of a thread, as the server would send them. */
export async function replayThread(ledger: Ledger, threadId: string): Promise<ReceivedEvent[]> {
  const received: ReceivedEvent[] = [];
  for await (const { cursor, ...event } of ledger.follow({ threadId, gaps: "skip" })) {
    // As after a transfer as JSON.
    const last = { id: cursor, data: JSON.parse(JSON.stringify(event)) as ReceivedEvent["data"] };
    received.push(last);
    if (isEnd(last)) break;
  }
  return received;
}
