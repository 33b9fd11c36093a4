// A ledger's options: checked, filled up with their defaults, and made into what operations are given.
import type { Clock } from "../assembly/index.ts";
import { checkCount, checkName } from "./check.ts";
import { LedgerError } from "./errors.ts";
import { idsBy } from "./ids.ts";
import type { Finding, Scope } from "./scope.ts";
import type { LedgerStore } from "./store.ts";
import type { LedgerOptions, LedgerProblem } from "./types.ts";

const DEFAULTS = { tenant: "default", leaseMs: 30_000, blobThreshold: 32_768, flushMs: 10, deltaRetentionMs: 60_000 };
const STORE_DEFAULTS = { sync: "full", busyMs: 10_000, schema: "koine", connections: 10, readOnly: false } as const;

/** What the stores want to know. */
export type StoreOptions = Required<Pick<Given, keyof typeof STORE_DEFAULTS>>;

/** Options of which none is undefined. */
type Given = { [Name in keyof LedgerOptions]?: Exclude<LedgerOptions[Name], undefined> };

export function storeOptions(options: LedgerOptions): StoreOptions {
  const { sync, busyMs, schema, connections, readOnly } = { ...STORE_DEFAULTS, ...given(options) };
  return { sync, busyMs, schema, connections, readOnly };
}

/** What operations on a store are given. Options that are none are refused. */
export function scopeOf(store: LedgerStore, options: LedgerOptions): Scope {
  checkOptions(options);
  const { clock = Date.now, onProblem = warn } = options;
  const { tenant, leaseMs, blobThreshold, flushMs, deltaRetentionMs } = { ...DEFAULTS, ...given(options) };
  const now = milliseconds(clock);
  const nextId = idsBy(now);
  const hear = once(onProblem);
  const report = (problem: Finding): void => hear({ tenant, ...problem });
  return { store, tenant, now, nextId, leaseMs, blobThreshold, flushMs, deltaRetentionMs, wrote: () => {}, report };
}

/** The options without those that are undefined, which must not hide a default. */
function given(options: LedgerOptions): Given {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export function checkOptions(options: LedgerOptions): void {
  if (options.tenant !== undefined) checkName(options.tenant, "tenant");
  if (options.schema !== undefined) checkName(options.schema, "schema");
  for (const name of ["leaseMs", "connections"] as const) {
    if (options[name] !== undefined) checkCount(options[name], name, 1);
  }
  for (const name of ["blobThreshold", "busyMs", "flushMs", "deltaRetentionMs"] as const) {
    if (options[name] !== undefined) checkCount(options[name], name);
  }
  if (options.indexMs !== undefined && options.indexMs !== false) checkCount(options.indexMs, "indexMs");
  const { sync, readOnly } = options;
  if (readOnly !== undefined && typeof readOnly !== "boolean") {
    throw new LedgerError("invalid-input", '"readOnly" must be true or false.', { path: "readOnly" });
  }
  if (sync !== undefined && sync !== "full" && sync !== "normal") {
    throw new LedgerError("invalid-input", '"sync" must be "full" or "normal".', { path: "sync" });
  }
}

function milliseconds(clock: Clock): () => number {
  // As it is: it is asked several times for every message.
  if (clock === Date.now) return Date.now;
  return () => {
    const time = clock();
    const ms = Math.floor(typeof time === "number" ? time : new Date(time).getTime());
    if (Number.isSafeInteger(ms) && ms >= 0) return ms;
    throw new LedgerError("invalid-input", "The clock gave no time since 1970.", { path: "clock" });
  };
}

/** Each problem once per ledger, however often its record is read. */
function once(hear: (problem: LedgerProblem) => void): (problem: LedgerProblem) => void {
  const heard = new Set<string>();
  return (problem) => {
    const name = JSON.stringify([problem.tenant, problem.threadId, problem.messageId, problem.reason]);
    if (heard.has(name)) return;
    heard.add(name);
    hear(problem);
  };
}

/** Where nobody listens, a problem must not pass in silence. */
function warn({ threadId, messageId, reason }: LedgerProblem): void {
  process.emitWarning(`A record of thread ${threadId} cannot be read (${messageId}): ${reason}`, "KoineWarning");
}
