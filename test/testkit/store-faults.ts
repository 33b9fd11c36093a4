// Helpers that break a correct store: replaced reads, transaction steps, transactions or store methods.
import { type Steps, wait, runAsync } from "../../src/ledger/store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction } from "../../src/ledger/store/contract.ts";

export type StoreFault = (good: LedgerStore) => LedgerStore;
/** The fault as a phrase, a pattern of the title of the case that must fail, and the fault itself. */
export type StoreFaultRow = readonly [sentence: string, noticed: RegExp, fault: StoreFault];

/** Replacements of methods; each gets the original method and the whole object. */
type MethodReplacements<T> = { [Name in keyof T]?: (good: T[Name], all: T) => T[Name] };

/** Returns an object with some methods replaced. */
export function replaceMethods<T extends object>(all: T, instead: MethodReplacements<T>): T {
  return new Proxy(all, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const good: unknown = value.bind(target);
      // The cast holds: the replacements have the keys and types of T.
      const change = (instead as Record<PropertyKey, ((good: unknown, all: T) => unknown) | undefined>)[name];
      return change === undefined ? good : change(good, target);
    },
  });
}

/** Replaces reads, inside and outside of transactions. */
export function withReads(instead: MethodReplacements<LedgerReads>): StoreFault {
  return (good) => ({
    ...copyStore(good),
    reads: replaceMethods(good.reads, instead),
    // A replaced read is the same inside and outside of a transaction.
    write: (work) => good.write((tx) => work(replaceMethods(tx, instead as MethodReplacements<LedgerTransaction>))),
  });
}

/** Replaces steps of transactions. */
export function withSteps(instead: MethodReplacements<LedgerTransaction>): StoreFault {
  return (good) => ({ ...copyStore(good), write: (work) => good.write((tx) => work(replaceMethods(tx, instead))) });
}

export function withMethods(instead: MethodReplacements<LedgerStore>): StoreFault {
  return (good) => replaceMethods(good, instead);
}

/** Returns the methods of a store as a plain object. */
export function copyStore(good: LedgerStore): LedgerStore {
  return {
    name: good.name,
    reads: good.reads,
    write: (work) => good.write(work),
    watch: (key, wake) => good.watch(key, wake),
    activeThreads: (tenant, page) => good.activeThreads(tenant, page),
    heads: (tenant, ids) => good.heads(tenant, ids),
    watchThreads: (tenant, notify) => good.watchThreads(tenant, notify),
    indexMessages: (textOf, limit) => good.indexMessages(textOf, limit),
    search: (query) => good.search(query),
    vacuum: () => good.vacuum(),
    close: () => good.close(),
  };
}

/** Runs one step synchronously in a transaction of its own. */
function runInOwnTransaction<T>(good: LedgerStore, step: (tx: LedgerTransaction) => T): T {
  const results: T[] = [];
  // The memory store runs work before `write` returns.
  const done = good.write(function* (tx) {
    results.push(yield* wait(step(tx)));
  });
  done.catch(() => undefined);
  if (results.length === 0) throw new Error("The step failed.");
  return results[0] as T;
}

/** Returns a transaction whose method calls all go through `call`. */
function interceptCalls(tx: LedgerTransaction, call: (name: string, run: () => unknown) => unknown): LedgerTransaction {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...values: unknown[]): unknown => call(String(name), () => value.apply(target, values));
    },
  });
}

type Method = keyof LedgerTransaction;

/** The steps of this method stay, even if their work is undone. */
export function cannotUndo(method: Method): StoreFault {
  return (good) => ({
    ...copyStore(good),
    write: (work) =>
      good.write((tx) =>
        work(
          new Proxy(tx, {
            get(target, name) {
              const value: unknown = Reflect.get(target, name, target);
              if (typeof value !== "function") return value;
              if (name !== method) return value.bind(target);
              return (...values: unknown[]): unknown =>
                runInOwnTransaction(good, (own) => Reflect.apply(Reflect.get(own, name, own), own, values) as unknown);
            },
          }),
        ),
      ),
  });
}

/** The steps of this method are taken when the work is over. */
export function postpones(method: Method): StoreFault {
  return (good) => ({
    ...copyStore(good),
    write: (work) =>
      good.write(function* (tx) {
        const later: (() => unknown)[] = [];
        const result = yield* work(interceptCalls(tx, (name, run) => (name === method ? later.push(run) : run())));
        for (const run of later) run();
        return result;
      }),
  });
}

/** The steps of this method are taken for a neighbouring tenant, too. */
export function spreads(method: Method): StoreFault {
  return (good) => ({
    ...copyStore(good),
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
                // The household of both is created first, and has no such twin.
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
  const match = /"(tenant-[0-9a-f-]{36})"/.exec(JSON.stringify(values));
  return `${match?.[1] ?? ""}-twin`;
}

function forTwin(value: unknown): unknown {
  if (typeof value === "string") return TENANT.test(value) ? `${value}-twin` : value;
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(forTwin);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, forTwin(field)]));
}

/** Work is no transaction: each step is one, and others come between. */
export const stepByStep: StoreFault = (good) => ({
  ...copyStore(good),
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
