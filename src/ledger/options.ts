// Checks a ledger's options, adds the defaults, and creates the `LedgerScope` that its operations receive.
import type { Clock } from "../assembly/index.ts";
import { requireCount, requireName } from "./check-arguments.ts";
import { LedgerError } from "./errors.ts";
import { createIdGenerator } from "./ids.ts";
import type { ReportedProblem, LedgerScope } from "./scope.ts";
import type { LedgerStore } from "./store/contract.ts";
import type { LedgerOptions, LedgerProblem, LedgerTimers } from "./types.ts";

const DEFAULTS = { tenant: "default", leaseMs: 30_000, blobThreshold: 32_768, flushMs: 10, deltaRetentionMs: 60_000 };
const STORE_DEFAULTS = { sync: "full", busyMs: 10_000, schema: "koine", connections: 10, readOnly: false } as const;

/** The default of the option `timers`: the monotonic clock and the timers of the process. */
export const REAL_TIMERS: LedgerTimers = {
  now: () => performance.now(),
  after(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The options of a ledger that its store uses, with their defaults. */
export type StoreOptions = Required<Pick<DefinedOptions, keyof typeof STORE_DEFAULTS>>;

/** The options of a ledger without undefined values. */
type DefinedOptions = { [Name in keyof LedgerOptions]?: Exclude<LedgerOptions[Name], undefined> };

export function readStoreOptions(options: LedgerOptions): StoreOptions {
  const { sync, busyMs, schema, connections, readOnly } = { ...STORE_DEFAULTS, ...definedOptions(options) };
  return { sync, busyMs, schema, connections, readOnly };
}

/**
 * Creates the scope that the operations of a ledger on this store receive. Throws "invalid-input" for invalid options.
 */
export function createScope(store: LedgerStore, options: LedgerOptions): LedgerScope {
  assertOptions(options);
  const { clock = Date.now, timers = REAL_TIMERS, onProblem = warn } = options;
  const { tenant, leaseMs, blobThreshold, flushMs, deltaRetentionMs } = { ...DEFAULTS, ...definedOptions(options) };
  const now = toMillisecondClock(clock);
  const nextId = createIdGenerator(now);
  const notify = reportOncePerProblem(onProblem);
  const report = (problem: ReportedProblem): void => notify({ tenant, ...problem });
  const limits = { leaseMs, blobThreshold, flushMs, deltaRetentionMs };
  return { store, tenant, now, timers, nextId, ...limits, onMessagesWritten: () => {}, report };
}

/** Returns the options without undefined values, because an undefined value would override a default. */
function definedOptions(options: LedgerOptions): DefinedOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export function assertOptions(options: LedgerOptions): void {
  if (options.tenant !== undefined) requireName(options.tenant, "tenant");
  if (options.schema !== undefined) requireName(options.schema, "schema");
  for (const name of ["leaseMs", "connections"] as const) {
    if (options[name] !== undefined) requireCount(options[name], name, 1);
  }
  for (const name of ["blobThreshold", "busyMs", "flushMs", "deltaRetentionMs"] as const) {
    if (options[name] !== undefined) requireCount(options[name], name);
  }
  if (options.indexMs !== undefined && options.indexMs !== false) requireCount(options.indexMs, "indexMs");
  const { sync, readOnly } = options;
  if (readOnly !== undefined && typeof readOnly !== "boolean") {
    throw new LedgerError("invalid-input", '"readOnly" must be true or false.', { path: "readOnly" });
  }
  if (sync !== undefined && sync !== "full" && sync !== "normal") {
    throw new LedgerError("invalid-input", '"sync" must be "full" or "normal".', { path: "sync" });
  }
}

function toMillisecondClock(clock: Clock): () => number {
  // `Date.now` is returned without a wrapper, because the clock is read several times per message.
  if (clock === Date.now) return Date.now;
  return () => {
    const time = clock();
    const ms = Math.floor(typeof time === "number" ? time : new Date(time).getTime());
    if (Number.isSafeInteger(ms) && ms >= 0) return ms;
    throw new LedgerError("invalid-input", '"clock" must return a time after 1970.', { path: "clock" });
  };
}

/** Returns a function that passes each problem to `notify` only once, even if the unreadable record is read often. */
function reportOncePerProblem(notify: (problem: LedgerProblem) => void): (problem: LedgerProblem) => void {
  const reported = new Set<string>();
  return (problem) => {
    const name = JSON.stringify([problem.tenant, problem.threadId, problem.messageId, problem.reason]);
    if (reported.has(name)) return;
    reported.add(name);
    notify(problem);
  };
}

/** Emits a process warning for an unreadable record. The default of the option `onProblem`. */
function warn({ threadId, messageId, reason }: LedgerProblem): void {
  process.emitWarning(`A record of thread ${threadId} cannot be read (${messageId}): ${reason}`, "KoineWarning");
}
