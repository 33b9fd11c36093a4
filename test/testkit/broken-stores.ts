// Ways to break a good store: another read, another step of work, another transaction, another life.
import { type Steps, wait, runAsync } from "../../src/ledger/store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction } from "../../src/ledger/store/contract.ts";

export type StoreFault = (good: LedgerStore) => LedgerStore;
/** What is wrong, which case must notice, and how it is done. */
export type StoreFaultRow = readonly [sentence: string, noticed: RegExp, fault: StoreFault];

/** Methods in place of the good ones; each is given the good one, and everything beside it. */
type Instead<T> = { [Name in keyof T]?: (good: T[Name], all: T) => T[Name] };

/** An object some of whose methods are others. */
export function withInstead<T extends object>(all: T, instead: Instead<T>): T {
  return new Proxy(all, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const good: unknown = value.bind(target);
      // Names and types of both are those of T.
      const change = (instead as Record<PropertyKey, ((good: unknown, all: T) => unknown) | undefined>)[name];
      return change === undefined ? good : change(good, target);
    },
  });
}

/** Reads something else than it should, inside work and outside. */
export function reads(instead: Instead<LedgerReads>): StoreFault {
  return (good) => ({
    ...store(good),
    reads: withInstead(good.reads, instead),
    // What a read does instead does not depend on where it is read.
    write: (work) => good.write((tx) => work(withInstead(tx, instead as Instead<LedgerTransaction>))),
  });
}

/** Does something else than it was told, inside work. */
export function does(instead: Instead<LedgerTransaction>): StoreFault {
  return (good) => ({ ...store(good), write: (work) => good.write((tx) => work(withInstead(tx, instead))) });
}

export function lives(instead: Instead<LedgerStore>): StoreFault {
  return (good) => withInstead(good, instead);
}

/** The methods of a store, to be spread. */
export function store(good: LedgerStore): LedgerStore {
  return {
    name: good.name,
    reads: good.reads,
    write: (work) => good.write(work),
    watch: (key, wake) => good.watch(key, wake),
    activeThreads: (tenant, page) => good.activeThreads(tenant, page),
    heads: (tenant, ids) => good.heads(tenant, ids),
    watchThreads: (tenant, tell) => good.watchThreads(tenant, tell),
    indexMessages: (textOf, limit) => good.indexMessages(textOf, limit),
    search: (query) => good.search(query),
    vacuum: () => good.vacuum(),
    close: () => good.close(),
  };
}

/** One step as a transaction of its own, at once. */
function alone<T>(good: LedgerStore, step: (tx: LedgerTransaction) => T): T {
  const results: T[] = [];
  // The memory store runs work before `write` returns.
  const done = good.write(function* (tx) {
    results.push(yield* wait(step(tx)));
  });
  done.catch(() => undefined);
  if (results.length === 0) throw new Error("The step failed.");
  return results[0] as T;
}

/** A transaction that calls each of its methods through this. */
function through(tx: LedgerTransaction, call: (name: string, run: () => unknown) => unknown): LedgerTransaction {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...values: unknown[]): unknown => call(String(name), () => value.apply(target, values));
    },
  });
}

type Method = keyof LedgerTransaction;

/** The steps of this method stay, whatever becomes of their work. */
export function cannotUndo(method: Method): StoreFault {
  return (good) => ({
    ...store(good),
    write: (work) =>
      good.write((tx) =>
        work(
          new Proxy(tx, {
            get(target, name) {
              const value: unknown = Reflect.get(target, name, target);
              if (typeof value !== "function") return value;
              if (name !== method) return value.bind(target);
              return (...values: unknown[]): unknown =>
                alone(good, (own) => Reflect.apply(Reflect.get(own, name, own), own, values) as unknown);
            },
          }),
        ),
      ),
  });
}

/** The steps of this method are taken when the work is over. */
export function postpones(method: Method): StoreFault {
  return (good) => ({
    ...store(good),
    write: (work) =>
      good.write(function* (tx) {
        const later: (() => unknown)[] = [];
        const result = yield* work(through(tx, (name, run) => (name === method ? later.push(run) : run())));
        for (const run of later) run();
        return result;
      }),
  });
}

/** The steps of this method are taken for a neighbouring tenant, too. */
export function spreads(method: Method): StoreFault {
  return (good) => ({
    ...store(good),
    write: (work) =>
      good.write((tx) =>
        work(
          new Proxy(tx, {
            get(target, name) {
              const value: unknown = Reflect.get(target, name, target);
              if (typeof value !== "function") return value;
              const bound = value.bind(target) as (...values: unknown[]) => unknown;
              if (name !== method) return bound;
              return (...values: unknown[]): unknown => {
                // The household of both is made first, and has no such twin.
                const isFirst = tx.thread({ tenant: twinOf(values), threadId: "thread" }) === undefined;
                if (!isFirst) bound(...values.map((value) => forTwin(value)));
                return bound(...values);
              };
            },
          }),
        ),
      ),
  });
}

const TENANT = /^tenant-[0-9a-f-]{36}$/;

function twinOf(values: readonly unknown[]): string {
  const found = /"(tenant-[0-9a-f-]{36})"/.exec(JSON.stringify(values));
  return `${found?.[1] ?? ""}-twin`;
}

function forTwin(value: unknown): unknown {
  if (typeof value === "string") return TENANT.test(value) ? `${value}-twin` : value;
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(forTwin);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, forTwin(field)]));
}

/** Work is no transaction: each step is one, and others come between. */
export const stepByStep: StoreFault = (good) => ({
  ...store(good),
  write: <T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> => {
    const tx = new Proxy({} as LedgerTransaction, {
      get:
        (_, name) =>
        async (...values: unknown[]): Promise<unknown> => {
          const result = await good.write((own) =>
            wait<unknown>(Reflect.apply(Reflect.get(own, name, own), own, values)),
          );
          await new Promise((resolve) => setTimeout(resolve, 0));
          return result;
        },
    });
    return runAsync(work(tx));
  },
});
