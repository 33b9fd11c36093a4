// A real ledger next to the oracle: every step is performed on both, and their results are compared.
import { expect } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import type { Ledger, Run } from "../../../src/ledger/types.ts";
import type { Message, StoredMessage } from "../../../src/model/index.ts";
import { FakeClock, readTexts } from "../support/runs.ts";
import { type Oracle, OracleError } from "./oracle.ts";
import { type EmptyDatabase, createView } from "../support/stores.ts";

export const LEASE_MS = 30_000;

/** Two stores on the same data, like two processes, for many models. */
export interface ModelStores {
  place: EmptyDatabase;
  stores: [LedgerStore, LedgerStore];
  /** The number of occurrences of each outcome: successful steps, rejected steps, ends of runs. */
  tally: Map<string, number>;
}

/** A run and one of its writers. */
export interface Writer {
  run: number;
  epoch: number;
  ledger: 0 | 1;
  handle: Run;
}

/** An id that no message has. */
const UNKNOWN = "01HZZZZZZZZZZZZZZZZZZZZZZZ";

export class LedgerUnderTest {
  readonly clock = new FakeClock();
  readonly threadIds: string[] = [];
  readonly runIds: string[] = [];
  readonly ids = new Map<string, string>();
  writers: Writer[] = [];
  readonly #home: ModelStores;
  readonly #tenant: string;
  readonly #ledgers: [Ledger, Ledger];

  constructor(home: ModelStores, tenant: string) {
    this.#home = home;
    this.#tenant = tenant;
    this.#ledgers = [this.#open(0), this.#open(1)];
  }

  /** Counts an occurrence. */
  count(what: string): void {
    this.#home.tally.set(what, (this.#home.tally.get(what) ?? 0) + 1);
  }

  ledger(index: 0 | 1): Ledger {
    return this.#ledgers[index];
  }

  #open(index: 0 | 1): Ledger {
    const options = { tenant: this.#tenant, clock: this.clock.now, leaseMs: LEASE_MS, flushMs: 0 };
    return createLedger(createView(this.#home.stores[index]), options);
  }

  /** Closes a ledger and its store, and opens both again. */
  async reopen(index: 0 | 1): Promise<void> {
    await this.#ledgers[index].close();
    await this.#home.stores[index].close();
    this.#home.stores[index] = await this.#home.place.openStore();
    this.#ledgers[index] = this.#open(index);
    this.writers = this.writers.filter(({ ledger }) => ledger !== index);
  }

  async close(): Promise<void> {
    for (const ledger of this.#ledgers) await ledger.close();
  }

  threadId(index: number): string {
    return this.threadIds[index] ?? UNKNOWN;
  }

  /** Returns the id of a message by its text. */
  idOf(text: string | null): string | null {
    if (text === null) return null;
    const id = this.ids.get(text);
    if (id === undefined) throw new Error(`Nobody has seen the message "${text}".`);
    return id;
  }

  /** Records written messages. */
  learn(messages: readonly StoredMessage[]): string[] {
    const texts = readTexts(messages);
    for (const [at, { id }] of messages.entries()) this.ids.set(texts[at] ?? "", id);
    return texts;
  }
}

export const toUserMessages = (texts: readonly string[]): Message[] =>
  texts.map((text) => ({ role: "assistant", parts: [{ type: "text", text }] }));

/** The outcome of a step: its value, or the code of its error. */
export type Outcome<T> = { value: T } | { code: string };

export async function catchOutcome<T>(step: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await step() };
  } catch (error) {
    if (error instanceof LedgerError) return { code: error.code };
    throw error;
  }
}

/**
 * Performs a step on both sides and counts its outcome; if both reject it for an allowed reason, there is nothing to
 * compare.
 */
export async function performOnBoth<Should, Is>(
  { real, step }: { real: LedgerUnderTest; step: string },
  should: () => Should,
  is: () => Promise<Is>,
  compare: (is: Is, should: Should) => unknown,
): Promise<void> {
  const outcome = await catchOutcome(is);
  let expected: Should;
  try {
    expected = should();
  } catch (refused) {
    if (!(refused instanceof OracleError)) throw refused;
    const code = "code" in outcome ? outcome.code : "no refusal";
    expect(code).toBeOneOf([...refused.codes]);
    real.count(`${step}: ${code}`);
    return;
  }
  if ("code" in outcome) throw new Error(`The step was refused with "${outcome.code}", against the rules.`);
  real.count(`${step}: done`);
  await compare(outcome.value, expected);
}

/** Compares everything that both return for a thread. */
export async function compareThread(
  oracle: Oracle,
  real: LedgerUnderTest,
  thread: number,
  through: 0 | 1,
): Promise<void> {
  const ledger = real.ledger(through);
  const threadId = real.threadId(thread);
  const { messages, leaf } = oracle.thread(thread);
  const tree = await ledger.tree(threadId);
  real.learn(tree.messages);
  const textOf = new Map(tree.messages.map((message) => [message.id, readTexts([message])[0]]));
  const runOf = new Map(real.runIds.map((id, index) => [id, index]));
  expect(
    tree.messages.map((message) => ({
      text: textOf.get(message.id),
      parent: message.parentMessageId === null ? null : textOf.get(message.parentMessageId),
      run: message.metadata.runId === undefined ? null : runOf.get(message.metadata.runId),
      interrupted: message.metadata.interrupted ?? false,
    })),
  ).toStrictEqual(
    messages.toSorted((left, right) =>
      requireMessageId(real, left.text) < requireMessageId(real, right.text) ? -1 : 1,
    ),
  );
  expect(tree.activeLeafId === null ? null : textOf.get(tree.activeLeafId)).toBe(leaf);
  const path = oracle.path(thread, leaf);
  expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(path.map(({ text }) => text));
  const runs = await ledger.runs(threadId);
  const should = oracle.runs.filter((run) => run.thread === thread);
  expect(runs.map(({ state, epoch, mode }) => ({ state, epoch, mode }))).toStrictEqual(
    should.map(({ state, epoch, mode }) => ({ state, epoch, mode })),
  );
}

function requireMessageId(real: LedgerUnderTest, text: string): string {
  return real.ids.get(text) ?? "~";
}

/** Compares every branch. */
export async function compareBranches(oracle: Oracle, real: LedgerUnderTest, thread: number): Promise<void> {
  const [ledger, threadId] = [real.ledger(0), real.threadId(thread)];
  const { messages, leaf } = oracle.thread(thread);
  for (const { text } of messages) {
    const branch = requireMessageId(real, text);
    const path = oracle.path(thread, text);
    expect(readTexts(await ledger.transcript(threadId, { branch }))).toStrictEqual(path.map((message) => message.text));
  }
  const settled = oracle.path(thread, leaf).filter(({ interrupted }) => !interrupted);
  expect(readTexts(await ledger.context(threadId))).toStrictEqual(settled.map(({ text }) => text));
  expect((await ledger.thread(threadId)).activeLeafId).toBe(real.idOf(leaf));
}
