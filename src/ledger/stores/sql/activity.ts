// What happens to threads, told and kept behind the writes: who watches in this process hears of it at the commit; the
// table of last activities, and other processes, a moment later and for many writes at once. A write itself pays for
// nothing but a note in memory.
import { randomUUID } from "node:crypto";
import { LedgerError } from "../../errors.ts";
import type { ThreadChange } from "../../overview/types.ts";
import type { ActiveThread, MessageRow } from "../../rows.ts";
import { got, type Steps } from "../../steps.ts";
import type { ActivityPage, LedgerStore, ThreadKey } from "../../store.ts";
import { ChangeReader } from "./change-reader.ts";
import { ACTIVITY, CHANGES, THREADS } from "./columns.ts";
import type { SqlRow, SqlSession, SqlValue } from "./engine.ts";
import { rowCount } from "./reads.ts";
import { INSERTS, type Statements } from "./statements.ts";

/** How long what happened is gathered before it is written. */
const GATHER_MS = 200;
/** When it is tried again where it could not be written. */
const RETRY_MS = 2_000;
/** How long other processes have to read what was written for them. */
const KEEP_MS = 30_000;
/** So many threads are written at once, so that nobody waits for long. */
const BATCH = 500;

/** What an engine does for it. */
interface ActivityParts {
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
  #isOpen = true;
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

  /** Messages go into the search index: what a process that died had not written of their threads is made up for. */
  async indexing(
    textOf: (row: MessageRow) => string | undefined,
    index: (heard: typeof textOf) => Promise<number>,
  ): Promise<number> {
    const heard = new Touches();
    const taken = await index((row) => {
      heard.add(row.tenant, row.threadId, "activity", row.id);
      return textOf(row);
    });
    if (taken > 0) for (const { tenant, threadId, id } of heard.list) this.#raise(tenant, threadId, id);
    return taken;
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
    this.#isOpen = false;
    await this.flush().catch(() => undefined);
  }

  #note({ tenant, threadId, change, id }: Touched): void {
    const pending = this.#raise(tenant, threadId, id);
    if (change === "deleted") pending.lastActivity = "";
    pending.changes.add(change);
  }

  #raise(tenant: string, threadId: string, id: string): Pending {
    const name = nameOf({ tenant, threadId });
    let pending = this.#pending.get(name);
    if (pending === undefined) {
      pending = { tenant, threadId, lastActivity: "", changes: new Set() };
      this.#pending.set(name, pending);
      this.#flushLater(GATHER_MS);
    }
    if (id > pending.lastActivity) pending.lastActivity = id;
    return pending;
  }

  #flushLater(ms: number): void {
    if (this.#isOpen) this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), ms).unref();
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    // In one order, so that no two processes wait for each other.
    pending.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    for (let at = 0; at < pending.length; at += BATCH) {
      const batch = pending.slice(at, at + BATCH);
      try {
        await this.#parts.transact((session) => this.#write(session, batch));
      } catch (error) {
        this.#takeBack(pending.slice(at));
        throw error;
      }
      this.#parts.wrote(new Set(batch.map(({ tenant }) => tenant)));
    }
  }

  #takeBack(unwritten: readonly Pending[]): void {
    this.#flushLater(RETRY_MS);
    for (const { tenant, threadId, lastActivity, changes } of unwritten) {
      const pending = this.#raise(tenant, threadId, lastActivity);
      for (const change of changes) pending.changes.add(change);
    }
  }

  *#write(session: SqlSession, batch: readonly Pending[]): Steps<void> {
    const active = batch.filter(({ lastActivity }) => lastActivity !== "").map((row) => ACTIVITY.encode(row));
    if (active.length > 0) yield* got(session.insert(INSERTS.activity, active));
    const source = this.#self;
    const told = batch.flatMap(({ tenant, threadId, changes }) =>
      changes.size === 0 ? [] : [CHANGES.encode({ tenant, threadId, changes: [...changes].join(" "), source })],
    );
    if (told.length === 0) return;
    yield* got(session.insert(INSERTS.changes, told));
    yield* this.#forgetOld(session);
  }

  /** What every watcher had the time to read. */
  *#forgetOld(session: SqlSession): Steps<void> {
    const { fixed } = this.#parts.statements;
    const now = performance.now();
    const [last] = yield* got(session.all(fixed["last-change"], [0]));
    const old = this.#marks.findLast(({ at }) => at < now - KEEP_MS);
    if (old !== undefined) {
      this.#marks.splice(0, this.#marks.indexOf(old) + 1);
      yield* got(session.run(fixed["delete-old-changes"], [old.number]));
    }
    this.#marks.push({ at: now, number: Number(last?.[0] ?? 0) });
  }
}

/** One text for both: names hold no zero character. */
function nameOf({ tenant, threadId }: ThreadKey): string {
  return `${tenant}\0${threadId}`;
}

function activeThread(row: SqlRow): ActiveThread {
  return Object.assign(THREADS.decode(row), { lastActivity: String(row[THREADS.columns.length]) });
}

/** A database that cannot be written to can still be listed. */
function passOver(error: unknown): void {
  if (!(error instanceof LedgerError) || (error.code !== "read-only" && error.code !== "disk-full")) throw error;
}
