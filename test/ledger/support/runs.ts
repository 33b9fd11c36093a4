// Short ways to write runs in tests: answers as deltas, a clock that is set by hand, a store that fails on demand.
import type { LedgerError } from "../../../src/ledger/errors.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import type { CommitResult, Ledger, LedgerEvent, NewRun } from "../../../src/ledger/types.ts";
import type { Delta, Message, StoredMessage } from "../../../src/model/index.ts";
import { delta } from "../../support/deltas.ts";

export const begin = delta("start", { modelId: "m-1", requestId: "r-1", contractVersion: 1 });
export const done = delta("done", { finishReason: "stop" });
export const piece = (textDelta: string): Delta => delta("text", { textDelta });
export const counted = (inputTokens: number, outputTokens: number): Delta =>
  delta("usage", { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens });

/** A whole answer in pieces. */
export function answerOf(...pieces: string[]): Delta[] {
  return [begin, ...pieces.map(piece), done];
}

/** Begins a run, streams an answer and commits it. */
export async function answered(
  ledger: Ledger,
  input: NewRun,
  ...pieces: string[]
): Promise<CommitResult & { id: string }> {
  const run = await ledger.beginRun(input);
  await run.append(answerOf(...pieces));
  return { ...(await run.commit()), id: run.id };
}

/** The texts of messages, each with its parts joined. */
export function textsOf(messages: readonly Message[]): string[] {
  return messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : part.type)).join("|"));
}

export function idsOf(messages: readonly StoredMessage[]): string[] {
  return messages.map(({ id }) => id);
}

/** An event in a few words: what it is, and what it says. */
export function sayEvent(event: LedgerEvent): string {
  if (event.type === "message") return `message ${textsOf([event.message]).join()}`;
  if (event.type === "run") return `run ${event.run.state}`;
  if (event.type === "entry") return `entry ${JSON.stringify(event.entry)}`;
  const { kind, payload } = event.delta;
  return kind === "text" ? `delta ${payload.textDelta}` : `delta ${kind}`;
}

/** "a, b" as a list, for events in a few words. */
export function listed(words: string): string[] {
  return words.split(", ");
}

/** Everything up to now. */
export async function eventsUpToNow(ledger: Ledger, threadId: string, after?: string): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  // Its own message marks the end, because a thread has none.
  const [mark] = await ledger.append(threadId, [{ role: "user", parts: [{ type: "text", text: "mark" }] }]);
  for await (const event of ledger.follow({ threadId, ...(after !== undefined && { after }) })) {
    if (event.type === "message" && event.message.id === mark?.id) break;
    events.push(event);
  }
  return events;
}

/** The next events of an iterator. */
export async function take(events: AsyncIterator<LedgerEvent>, count: number): Promise<LedgerEvent[]> {
  const taken: LedgerEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** A clock that stands still until it is told otherwise. */
export class FakeClock {
  ms = Date.UTC(2031, 0, 1);
  readonly now = (): number => this.ms;
  pass(ms: number): void {
    this.ms += ms;
  }
}

/** A store whose next writes fail on demand, before or after they took place; it counts them too. */
export class FaultyStore implements LedgerStore {
  readonly name: string;
  readonly reads: LedgerStore["reads"];
  /** Begun, ended well, ended otherwise. */
  writes = 0;
  written = 0;
  failures = 0;
  /** What happens just before the next write. */
  beforeNext: (() => Promise<void>) | undefined;
  readonly #inner: LedgerStore;
  readonly #faults: ({ error: LedgerError; written: boolean } | undefined)[] = [];

  constructor(inner: LedgerStore) {
    this.#inner = inner;
    this.name = inner.name;
    this.reads = inner.reads;
  }

  /** Fails `times` writes, `after` so many have gone well. */
  failNext(error: LedgerError, { written = false, times = 1, after = 0 } = {}): void {
    for (let time = 0; time < after; time++) this.#faults.push(undefined);
    for (let time = 0; time < times; time++) this.#faults.push({ error, written });
  }

  async write<T>(work: Parameters<LedgerStore["write"]>[0]): Promise<T> {
    this.writes++;
    const before = this.beforeNext;
    this.beforeNext = undefined;
    if (before !== undefined) await before();
    const fault = this.#faults.shift();
    if (fault !== undefined) this.failures++;
    if (fault !== undefined && !fault.written) throw fault.error;
    const result = await this.#inner.write(work);
    if (fault !== undefined) throw fault.error;
    this.written++;
    // The inner store gave what the work gives.
    return result as T;
  }

  watch: LedgerStore["watch"] = (key, wake) => this.#inner.watch(key, wake);
  activeThreads: LedgerStore["activeThreads"] = (tenant, page) => this.#inner.activeThreads(tenant, page);
  heads: LedgerStore["heads"] = (tenant, ids) => this.#inner.heads(tenant, ids);
  watchThreads: LedgerStore["watchThreads"] = (tenant, tell) => this.#inner.watchThreads(tenant, tell);
  indexMessages: LedgerStore["indexMessages"] = (textOf, limit) => this.#inner.indexMessages(textOf, limit);
  search: LedgerStore["search"] = (query) => this.#inner.search(query);
  vacuum = (): Promise<void> => this.#inner.vacuum();
  close = (): Promise<void> => this.#inner.close();
}
