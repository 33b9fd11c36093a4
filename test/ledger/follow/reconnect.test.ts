// Tests readers that reconnect a thousand times while the thread is written: each event once and in order.
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Ledger, LedgerEvent, Run } from "../../../src/ledger/types.ts";
import { user, type Delta } from "../../../src/model/index.ts";
import { seededRandom } from "../../../src/testkit/index.ts";
import { startDelta, doneDelta, textDelta } from "../support/runs.ts";
import { STORES } from "../support/stores.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

/** Postgres takes ten times as long as the others. */
const DISCONNECTS: Record<string, number> = {
  memory: scaleRunCount(1000),
  sqlite: scaleRunCount(1000),
  postgres: scaleRunCount(300),
};
/** The maximum lead of the writer over the reader. */
const AHEAD = 200;

type Random = () => number;
const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** The writer's own record of its writes. */
interface Written {
  deltas: string[];
  messages: string[];
}

const deltaKey = (runId: string, { kind, payload }: Delta): string => JSON.stringify([runId, kind, payload]);

/** Several runs and appends at once, committed, failed, forked and branched, until it is stopped. */
class Writer {
  readonly written: Written = { deltas: [], messages: [] };
  isStopped = false;
  lead = 0;
  readonly #live = new Set<Run>();
  readonly #ledger: Ledger;
  readonly #threadId: string;
  readonly #random: Random;

  constructor(ledger: Ledger, threadId: string, random: Random) {
    this.#ledger = ledger;
    this.#threadId = threadId;
    this.#random = random;
  }

  async write(): Promise<void> {
    while (!this.isStopped) {
      if (this.lead < AHEAD) await Promise.all([this.#step(), this.#step()]);
      await turn();
    }
    for (const run of this.#live) await run.cancel().then(({ messages }) => this.#note(messages));
  }

  #note(messages: readonly { id: string }[]): void {
    this.written.messages.push(...messages.map(({ id }) => id));
    this.lead += messages.length + 1;
  }

  async #step(): Promise<void> {
    const [run] = [...this.#live].slice(below(this.#random, Math.max(1, this.#live.size)));
    const choice = below(this.#random, 10);
    if (run === undefined || (choice === 0 && this.#live.size < 4)) return this.#begin();
    if (choice === 1) return this.#note(await this.#ledger.append(this.#threadId, [user("one"), user("two")]));
    if (choice === 2) return this.#end(run);
    await this.#stream(
      run,
      Array.from({ length: 1 + below(this.#random, 5) }, (_, index) => textDelta(`${index}`)),
    );
  }

  async #begin(): Promise<void> {
    const mode = below(this.#random, 2) === 0 ? "branch" : "replace";
    const fork = below(this.#random, 3) === 0 ? { forkFromMessageId: null } : {};
    const run = await this.#ledger.beginRun({ threadId: this.#threadId, mode, ...fork });
    await this.#stream(run, [startDelta]);
    this.#live.add(run);
  }

  async #stream(run: Run, deltas: Delta[]): Promise<void> {
    // Recorded before the write, because a reader may be faster than the store's response.
    for (const delta of deltas) this.written.deltas.push(deltaKey(run.id, delta));
    this.lead += deltas.length;
    await run.append(deltas);
  }

  async #end(run: Run): Promise<void> {
    this.#live.delete(run);
    const choice = below(this.#random, 3);
    if (choice > 0) return this.#note((await (choice === 1 ? run.fail("why") : run.cancel())).messages);
    await this.#stream(run, [textDelta("!"), doneDelta]);
    this.#note((await run.commit()).messages);
  }
}

/** Reads a few events from a cursor and leaves in one of several ways. */
async function readSome(ledger: Ledger, threadId: string, random: Random, after?: string): Promise<LedgerEvent[]> {
  const controller = new AbortController();
  const reader = ledger.follow({ threadId, signal: controller.signal, ...(after !== undefined && { after }) });
  const events: LedgerEvent[] = [];
  const count = below(random, 14);
  while (events.length < count) {
    const { done: isOver, value } = await reader.next();
    if (isOver === true) return events;
    events.push(value);
  }
  const way = below(random, 3);
  // One event may be pending.
  const pending = way === 0 ? undefined : reader.next();
  if (below(random, 2) === 0) await turn();
  if (way === 1) controller.abort();
  else await reader.return?.();
  const last = await pending;
  if (last !== undefined && last.done !== true) events.push(last.value);
  return events;
}

/** The deltas of each run, in order. */
function byRun(deltas: readonly string[]): Map<string, string[]> {
  return Map.groupBy(deltas, (key) => String((JSON.parse(key) as unknown[])[0]));
}

describe.each(STORES)("$name", (store) => {
  const times = DISCONNECTS[store.name] ?? 1000;
  test.each([times])("B96: a reader that disconnects %i times receives each event exactly once", async (count) => {
    const opened = await store.open({ flushMs: 1, deltaRetentionMs: 3_600_000 });
    const readers = await opened.another();
    const { id: threadId } = await opened.ledger.createThread();
    const random = seededRandom(1);
    const writer = new Writer(opened.ledger, threadId, seededRandom(2));
    const writing = writer.write();
    const seen: LedgerEvent[] = [];
    for (let time = 0; time < count; time++) {
      const more = await readSome(readers, threadId, random, seen.at(-1)?.cursor);
      seen.push(...more);
      writer.lead -= more.length;
    }
    writer.isStopped = true;
    await writing;
    const [mark] = await opened.ledger.append(threadId, [user("the end")]);
    for await (const event of readers.follow({
      threadId,
      ...(seen.length > 0 && { after: seen.at(-1)?.cursor ?? "" }),
    })) {
      if (event.type === "message" && event.message.id === mark?.id) break;
      seen.push(event);
    }
    // Compared with an uninterrupted reader and with the writer's record.
    const whole: LedgerEvent[] = [];
    for await (const event of opened.ledger.follow({ threadId })) {
      if (event.type === "message" && event.message.id === mark?.id) break;
      whole.push(event);
    }
    expect(seen.length).toBeGreaterThan(count);
    expect(seen.map(({ cursor }) => cursor)).toStrictEqual(whole.map(({ cursor }) => cursor));
    expect(seen).toStrictEqual(whole);
    const messages = seen.flatMap((event) => (event.type === "message" ? [event.message.id] : []));
    expect(messages).toStrictEqual([...writer.written.messages].sort());
    const deltas = seen.flatMap((event) => (event.type === "delta" ? [deltaKey(event.runId, event.delta)] : []));
    expect(byRun(deltas)).toStrictEqual(byRun(writer.written.deltas));
    await opened.close();
  });
});
