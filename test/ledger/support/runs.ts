// Helpers for runs in tests: answers as deltas, a manual clock, a store that fails on demand.
import type { LedgerError } from "../../../src/ledger/errors.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import type { CommitResult, Ledger, LedgerEvent, NewRun } from "../../../src/ledger/types.ts";
import type { Delta, Message, StoredMessage } from "../../../src/model/index.ts";
import { delta } from "../../support/deltas.ts";

export const startDelta = delta("start", { modelId: "m-1", requestId: "r-1", contractVersion: 1 });
export const doneDelta = delta("done", { finishReason: "stop" });
export const textDelta = (textDelta: string): Delta => delta("text", { textDelta });
export const usageDelta = (inputTokens: number, outputTokens: number): Delta =>
  delta("usage", { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens });

/** A whole answer as deltas. */
export function createAnswer(...pieces: string[]): Delta[] {
  return [startDelta, ...pieces.map(textDelta), doneDelta];
}

/** Begins a run, streams an answer and commits it. */
export async function commitAnswer(
  ledger: Ledger,
  input: NewRun,
  ...pieces: string[]
): Promise<CommitResult & { id: string }> {
  const run = await ledger.beginRun(input);
  await run.append(createAnswer(...pieces));
  return { ...(await run.commit()), id: run.id };
}

/** Returns the texts of messages, with their parts joined. */
export function readTexts(messages: readonly Message[]): string[] {
  return messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : part.type)).join("|"));
}

export function readIds(messages: readonly StoredMessage[]): string[] {
  return messages.map(({ id }) => id);
}

/** Describes an event briefly. */
export function describeEvent(event: LedgerEvent): string {
  if (event.type === "message") return `message ${readTexts([event.message]).join()}`;
  if (event.type === "run") return `run ${event.run.state}`;
  if (event.type === "entry") return `entry ${JSON.stringify(event.entry)}`;
  const { kind, payload } = event.delta;
  return kind === "text" ? `delta ${payload.textDelta}` : `delta ${kind}`;
}

/** Splits "a, b" into a list of event descriptions. */
export function splitList(list: string): string[] {
  return list.split(", ");
}

/** Returns all events up to now. */
export async function readEventsUpToNow(ledger: Ledger, threadId: string, after?: string): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  // An appended message marks the end, because following a thread does not end.
  const [mark] = await ledger.append(threadId, [{ role: "user", parts: [{ type: "text", text: "mark" }] }]);
  for await (const event of ledger.follow({ threadId, ...(after !== undefined && { after }) })) {
    if (event.type === "message" && event.message.id === mark?.id) break;
    events.push(event);
  }
  return events;
}

/** Returns the next events of an iterator. */
export async function takeEvents(events: AsyncIterator<LedgerEvent>, count: number): Promise<LedgerEvent[]> {
  const taken: LedgerEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** A clock that advances with every read: ids of one millisecond do not show which of two threads is newer. */
export function createAdvancingClock(): () => number {
  let time = Date.parse("2026-01-02T03:04:05Z");
  return () => time++;
}

/** A clock that changes only by `pass`. */
export class FakeClock {
  ms = Date.UTC(2031, 0, 1);
  readonly now = (): number => this.ms;
  pass(ms: number): void {
    this.ms += ms;
  }
}

/** A store whose next writes fail on demand, before or after they took place; counts writes. */
export class FaultyStore implements LedgerStore {
  readonly name: string;
  readonly reads: LedgerStore["reads"];
  /** The numbers of started, successful and failed writes. */
  writes = 0;
  written = 0;
  failures = 0;
  /** Runs before the next write. */
  beforeNext: (() => Promise<void>) | undefined;
  readonly #inner: LedgerStore;
  readonly #faults: ({ error: LedgerError; written: boolean } | undefined)[] = [];

  constructor(inner: LedgerStore) {
    this.#inner = inner;
    this.name = inner.name;
    this.reads = inner.reads;
  }

  /** Fails `times` writes after `after` successful ones. */
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
    // The inner store returned the result of the work.
    return result as T;
  }

  watch: LedgerStore["watch"] = (key, wake) => this.#inner.watch(key, wake);
  activeThreads: LedgerStore["activeThreads"] = (tenant, page) => this.#inner.activeThreads(tenant, page);
  heads: LedgerStore["heads"] = (tenant, ids) => this.#inner.heads(tenant, ids);
  watchThreads: LedgerStore["watchThreads"] = (tenant, notify) => this.#inner.watchThreads(tenant, notify);
  indexMessages: LedgerStore["indexMessages"] = (textOf, limit) => this.#inner.indexMessages(textOf, limit);
  search: LedgerStore["search"] = (query) => this.#inner.search(query);
  vacuum = (): Promise<void> => this.#inner.vacuum();
  close = (): Promise<void> => this.#inner.close();
}
