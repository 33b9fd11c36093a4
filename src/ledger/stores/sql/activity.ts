// What happens to threads, told and kept behind the writes: who watches in this process hears of it at the commit; the
// table of last activities, and other processes, a moment later and for many writes at once. A write itself pays for
// nothing but a note in memory.
import { randomUUID } from "node:crypto";
import { LedgerError } from "../../errors.ts";
import type { ThreadChange } from "../../overview/types.ts";
import type { ActiveThread, MessageRow } from "../../rows.ts";
import { got, type Awaitable, type Steps } from "../../steps.ts";
import type { ActivityPage, LedgerStore } from "../../store.ts";
import { ChangeReader } from "./change-reader.ts";
import { ACTIVITY, CHANGES, THREADS } from "./columns.ts";
import type { SqlRow, SqlSession, SqlValue } from "./engine.ts";
import { rowCount } from "./reads.ts";
import { INSERTS, type Statements } from "./statements.ts";

/** How long what happened is gathered before it is written. */
const GATHER_MS = 200;
/** How long other processes have to read what was written for them. */
const KEEP_MS = 30_000;
/** So many threads are written at once, so that nobody waits for long. */
const BATCH = 500;

/** What an engine does for it. */
export interface ActivityParts {
  statements: Statements;
  /** For reading. */
  session: Pick<SqlSession, "all">;
  transact(work: (session: SqlSession) => Steps<void>): Promise<void>;
  /** Calls back when other processes may have told something of the tenant. */
  watch(tenant: string, wake: () => void): () => void;
  /** Something was written for those who watch these tenants elsewhere. */
  wrote(tenants: Iterable<string>): void;
}

/** What a transaction did to a thread. */
interface Touched {
  tenant: string;
  threadId: string;
  change: ThreadChange["change"];
  /** "" where nothing happened in it. */
  id: string;
}

/** What is to be written of a thread. */
interface Pending {
  tenant: string;
  threadId: string;
  lastActivity: string;
  changes: Set<ThreadChange["change"]>;
}

/** Notes of one transaction, to be given to `committed` once it is durable. */
export class Touches {
  readonly list: Touched[] = [];

  add(tenant: string, threadId: string, change: ThreadChange["change"], id = ""): void {
    const last = this.list.at(-1);
    // Rows of a thread come one after the other, with growing ids.
    if (last?.change === change && last.threadId === threadId && last.tenant === tenant) last.id = id;
    else this.list.push({ tenant, threadId, change, id });
  }

  clear(): void {
    this.list.length = 0;
  }
}

export class Activity {
  readonly #parts: ActivityParts;
  /** Tells this process's own changes from others'. */
  readonly #self = randomUUID();
  readonly #reader: ChangeReader;
  #pending = new Map<string, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Numbers that were the last at some time, oldest first. */
  readonly #marks: { at: number; number: number }[] = [];

  constructor(parts: ActivityParts) {
    this.#parts = parts;
    this.#reader = new ChangeReader(parts, this.#self);
  }

  committed({ list }: Touches): void {
    for (const touched of list) {
      this.#note(touched);
      this.#reader.tell(touched.tenant, touched);
    }
  }

  /** Messages that the search index takes in: what a process that died had not written of them is made up for. */
  indexed(rows: readonly MessageRow[]): void {
    for (const { tenant, threadId, id } of rows) this.#raise(tenant, threadId, id);
  }

  watch: LedgerStore["watchThreads"] = (tenant, tell) => this.#reader.watch(tenant, tell);

  async threads(tenant: string, { before, kind, limit }: ActivityPage): Promise<ActiveThread[]> {
    await this.flush().catch(passOver);
    const values: SqlValue[] = [tenant, rowCount(limit)];
    if (before !== undefined) values.push(before.lastActivity, before.id);
    if (typeof kind === "string") values.push(kind);
    const statement = this.#parts.statements.activeThreads(before !== undefined, kind);
    return (await this.#parts.session.all(statement, values)).map(activeThread);
  }

  /** Writes what is known by now. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#writeAll());
    return this.#flushing;
  }

  /** The last of it is written. What cannot be is made up for later, or lost: nobody's messages depend on it. */
  async close(): Promise<void> {
    this.#reader.close();
    await this.flush().catch(() => undefined);
    clearTimeout(this.#timer);
  }

  #note({ tenant, threadId, change, id }: Touched): void {
    const pending = this.#raise(tenant, threadId, id);
    if (change === "deleted") pending.lastActivity = "";
    pending.changes.add(change);
  }

  #raise(tenant: string, threadId: string, id: string): Pending {
    const name = `${tenant}\0${threadId}`;
    let pending = this.#pending.get(name);
    if (pending === undefined) {
      pending = { tenant, threadId, lastActivity: "", changes: new Set() };
      this.#pending.set(name, pending);
      this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), GATHER_MS).unref();
    }
    if (id > pending.lastActivity) pending.lastActivity = id;
    return pending;
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    // In one order, so that no two processes wait for each other.
    pending.sort((a, b) => (`${a.tenant}\0${a.threadId}` < `${b.tenant}\0${b.threadId}` ? -1 : 1));
    for (let at = 0; at < pending.length; at += BATCH) {
      const batch = pending.slice(at, at + BATCH);
      await this.#parts.transact((session) => this.#write(session, batch));
      this.#parts.wrote(new Set(batch.map(({ tenant }) => tenant)));
    }
  }

  *#write(session: SqlSession, batch: readonly Pending[]): Steps<void> {
    const active = batch.filter(({ lastActivity }) => lastActivity !== "").map((row) => ACTIVITY.encode(row));
    if (active.length > 0) yield* got(session.insert(INSERTS.activity, active));
    const source = this.#self;
    const told = batch.flatMap(({ tenant, threadId, changes }) =>
      Array.from(changes, (change) => CHANGES.encode({ tenant, threadId, change, source })),
    );
    if (told.length === 0) return;
    yield* got(session.insert(INSERTS.changes, told));
    yield* this.#forgetOld(session);
  }

  /** What every watcher had the time to read. */
  *#forgetOld(session: SqlSession): Steps<void> {
    const { fixed } = this.#parts.statements;
    const now = performance.now();
    const [last] = yield* got<readonly SqlRow[]>(session.all(fixed["last-change"], [0]));
    const old = this.#marks.findLast(({ at }) => at < now - KEEP_MS);
    if (old !== undefined) {
      this.#marks.splice(0, this.#marks.indexOf(old) + 1);
      yield* got<Awaitable<number>>(session.run(fixed["delete-old-changes"], [old.number]));
    }
    this.#marks.push({ at: now, number: Number(last?.[0] ?? 0) });
  }
}

function activeThread(row: SqlRow): ActiveThread {
  return Object.assign(THREADS.decode(row), { lastActivity: String(row[THREADS.columns.length]) });
}

/** A database that cannot be written to can still be listed. */
function passOver(error: unknown): void {
  if (!(error instanceof LedgerError) || (error.code !== "read-only" && error.code !== "disk-full")) throw error;
}
