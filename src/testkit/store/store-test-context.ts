// Defines the context of a store check (a store and a tenant of its own), and the assertions of the checks.
import { LedgerError, type LedgerErrorCode } from "../../ledger/errors.ts";
import { type Awaitable, wait, type Steps } from "../../ledger/store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store/contract.ts";
import { isObject } from "../../model/value-kind.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";

/** One step of a transaction. */
export type TransactionStep = (tx: LedgerTransaction) => Awaitable<unknown>;

/** The store, tenant and thread keys that one store check uses. */
export class StoreTestContext {
  readonly store: LedgerStore;
  readonly tenant = `tenant-${crypto.randomUUID()}`;
  readonly key: ThreadKey = { tenant: this.tenant, threadId: "thread" };
  readonly other: ThreadKey = { tenant: this.tenant, threadId: "thread-other" };
  /** The maximum time until a watcher is called after a write, in milliseconds. */
  readonly wakeTimeoutMs: number;
  readonly #openMore: () => Promise<LedgerStore>;
  readonly #more: LedgerStore[] = [];

  constructor(store: LedgerStore, openMore: () => Promise<LedgerStore>, wakeTimeoutMs: number) {
    this.store = store;
    this.#openMore = openMore;
    this.wakeTimeoutMs = wakeTimeoutMs;
  }

  get reads(): LedgerReads {
    return this.store.reads;
  }

  /** Opens the same data with a second store, like another process; returns the first store if that is not possible. */
  async openAnother(): Promise<LedgerStore> {
    const store = await this.#openMore();
    if (store !== this.store) this.#more.push(store);
    return store;
  }

  /** Runs steps in one transaction and returns the result of the last step. */
  async write(...steps: readonly TransactionStep[]): Promise<unknown> {
    return writeTo(this.store, ...steps);
  }

  async close(): Promise<void> {
    for (const store of [...this.#more, this.store]) await store.close();
  }
}

export function writeTo(store: LedgerStore, ...steps: readonly TransactionStep[]): Promise<unknown> {
  return store.write((tx) => runInOrder(tx, steps));
}

export function* runInOrder(tx: LedgerTransaction, steps: readonly TransactionStep[]): Steps<unknown> {
  let last: unknown;
  for (const step of steps) last = yield* wait(step(tx));
  return last;
}

/** Calls `look` repeatedly until `work` has ended, and returns the result of `work`. */
export async function pollDuring<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
  const state = { isOver: false };
  const end = (): void => {
    state.isOver = true;
  };
  work.then(end, end);
  while (!state.isOver) {
    await look();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return work;
}

/** Checks one requirement of the store contract; throws if the store violates it. */
export type StoreCheck = (context: StoreTestContext) => Promise<void>;
/** A requirement of the store contract: its text and its check. */
export type StoreRequirement = readonly [claim: string, check: StoreCheck];

/** Asserts that a value equals the expected value: every field, its type and presence, and every byte. */
export async function assertSame(actual: Awaitable<unknown>, expected: unknown, claim: string): Promise<void> {
  assertNoDifferences(findDifferences(toComparable(expected), toComparable(await actual)), claim);
}

/** The decoder that converts each byte to one character. */
const BYTES = new TextDecoder("latin1");

/** Converts bytes, bigints and undefined to text, so that values can be compared as JSON. */
function toComparable(value: unknown): unknown {
  if (value === undefined) return "(nothing)";
  if (value instanceof Uint8Array) return `bytes ${BYTES.decode(value)}`;
  if (typeof value === "bigint") return `bigint ${value}`;
  if (Array.isArray(value)) return value.map(toComparable);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toComparable(field)]));
}

/** Returns the error that the attempt throws or rejects with; undefined if the attempt succeeds. */
export async function catchError(attempt: () => Awaitable<unknown>): Promise<{ error: unknown } | undefined> {
  try {
    await attempt();
  } catch (error) {
    return { error };
  }
  return undefined;
}

/** Asserts that the attempt fails with a LedgerError of this code. */
export async function assertRejected(
  code: LedgerErrorCode,
  attempt: () => Awaitable<unknown>,
  claim: string,
): Promise<void> {
  const thrown = await catchError(attempt);
  assertHolds(thrown !== undefined, `${claim} must fail with the code "${code}", but did not fail.`);
  const error = thrown?.error;
  const isExpected = error instanceof LedgerError && error.code === code;
  assertHolds(
    isExpected,
    `${claim} must fail with a LedgerError of the code "${code}".`,
    `It failed with ${String(error)}`,
  );
}
