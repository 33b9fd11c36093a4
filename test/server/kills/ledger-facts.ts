// What the ledger holds at the end, read past the server.
import { setTimeout as pause } from "node:timers/promises";
import type { Ledger, RunInfo, Thread } from "../../../src/ledger/index.ts";
import type { Heard, ThreadFacts } from "./evidence.ts";

const PAGE = 200;
/** Longer than a lease, and than a look for those that are over. */
const SETTLE_MS = 20_000;
/** Written into a thread's history when all is over: whoever follows it has heard everything then. */
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

/** Waits until no run is alive, but not for ever. */
export async function settle(ledger: Ledger): Promise<void> {
  const giveUp = performance.now() + SETTLE_MS;
  let open = await allThreads(ledger);
  while (open.length > 0 && performance.now() < giveUp) {
    const runs = await Promise.all(open.map(({ id }) => ledger.runs(id)));
    open = open.filter((_, at) => runs[at]?.some(isAlive));
    if (open.length > 0) await pause(100);
  }
}

export async function readThreads(ledger: Ledger): Promise<ThreadFacts[]> {
  const facts: ThreadFacts[] = [];
  for (const { id } of await allThreads(ledger)) {
    const [path, { messages: tree }, runs] = [
      await ledger.transcript(id),
      await ledger.tree(id),
      await ledger.runs(id),
    ];
    facts.push({ id, path, tree, runs });
  }
  return facts;
}

export async function writeEnd(ledger: Ledger, threadId: string): Promise<void> {
  await ledger.log(threadId, [{ type: END }]);
}

export function isEnd({ data }: Heard): boolean {
  // As the server's documentation has it.
  return data["type"] === "entry" && (data["entry"] as { type?: string }).type === END;
}

/** All that happened in a thread, as the server would tell it. */
export async function replayThread(ledger: Ledger, threadId: string): Promise<Heard[]> {
  const heard: Heard[] = [];
  for await (const { cursor, ...event } of ledger.follow({ threadId, gaps: "skip" })) {
    // As it looks when it has been sent.
    const last = { id: cursor, data: JSON.parse(JSON.stringify(event)) as Heard["data"] };
    heard.push(last);
    if (isEnd(last)) break;
  }
  return heard;
}
