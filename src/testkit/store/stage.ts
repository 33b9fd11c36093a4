// Where a case of the suite for stores plays: a store, a tenant that no other case has, and the words in which cases
// speak of what they expect.
import { LedgerError, type LedgerErrorCode } from "../../ledger/errors.ts";
import { type Awaitable, got, type Steps } from "../../ledger/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store.ts";
import { isObject } from "../../model/kind.ts";
import { demand } from "../demand.ts";
import { demandNone, differences } from "../differences.ts";

/** A step of work. */
export type Step = (tx: LedgerTransaction) => Awaitable<unknown>;

export class Stage {
  readonly store: LedgerStore;
  readonly tenant = `tenant-${crypto.randomUUID()}`;
  readonly key: ThreadKey = { tenant: this.tenant, threadId: "thread" };
  readonly other: ThreadKey = { tenant: this.tenant, threadId: "thread-other" };
  /** How long a wake-up may take. */
  readonly patienceMs: number;
  readonly #openMore: () => Promise<LedgerStore>;
  readonly #more: LedgerStore[] = [];

  constructor(store: LedgerStore, openMore: () => Promise<LedgerStore>, patienceMs: number) {
    this.store = store;
    this.#openMore = openMore;
    this.patienceMs = patienceMs;
  }

  get reads(): LedgerReads {
    return this.store.reads;
  }

  /** The same data through a store of its own, as another process has it; where that is not possible, the same store. */
  async another(): Promise<LedgerStore> {
    const store = await this.#openMore();
    if (store !== this.store) this.#more.push(store);
    return store;
  }

  /** Steps in one transaction; gives what the last came to. */
  async write(...steps: readonly Step[]): Promise<unknown> {
    return writeTo(this.store, ...steps);
  }

  async close(): Promise<void> {
    for (const store of [...this.#more, this.store]) await store.close();
  }
}

export function writeTo(store: LedgerStore, ...steps: readonly Step[]): Promise<unknown> {
  return store.write((tx) => inOrder(tx, steps));
}

export function* inOrder(tx: LedgerTransaction, steps: readonly Step[]): Steps<unknown> {
  let last: unknown;
  for (const step of steps) last = yield* got(step(tx));
  return last;
}

/** Looks again and again while a piece of work is under way, and gives what it came to. */
export async function during<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
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

/** What must hold of a store. */
export type Check = (stage: Stage) => Promise<void>;
export type Claim = readonly [claim: string, check: Check];

/** The value, compared to what it should be: every field, its kind, its presence, and every byte. */
export async function demandSame(is: Awaitable<unknown>, should: unknown, claim: string): Promise<void> {
  demandNone(differences(plain(should), plain(await is)), claim);
}

/** One character for each byte, and another for each. */
const BYTES = new TextDecoder("latin1");

/** Bytes and absence in words, so that values compare as JSON. */
function plain(value: unknown): unknown {
  if (value === undefined) return "(nothing)";
  if (value instanceof Uint8Array) return `bytes ${BYTES.decode(value)}`;
  if (typeof value === "bigint") return `bigint ${value}`;
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

/** What the attempt throws, at once or later; undefined where it does not. */
export async function thrownBy(attempt: () => Awaitable<unknown>): Promise<{ error: unknown } | undefined> {
  try {
    await attempt();
  } catch (error) {
    return { error };
  }
  return undefined;
}

/** The attempt must fail with a LedgerError of this code. */
export async function demandRefusal(
  code: LedgerErrorCode,
  attempt: () => Awaitable<unknown>,
  claim: string,
): Promise<void> {
  const thrown = await thrownBy(attempt);
  demand(thrown !== undefined, `${claim} It should fail with "${code}", and did not.`);
  const error = thrown?.error;
  const isSo = error instanceof LedgerError && error.code === code;
  demand(isSo, `${claim} It should fail with a LedgerError "${code}".`, `It failed with ${String(error)}`);
}
