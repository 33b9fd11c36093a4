// What happens to threads, told and kept behind the writes: who watches in this process hears of it at the commit; the
// table of last activities, and other processes, a moment later and for many writes at once. A write itself pays for
// nothing but a note in memory.
import { randomUUID } from "node:crypto";
import type { ActiveThread, ListedHead, MessageRow } from "../../rows.ts";
import { got, type Steps } from "../../steps.ts";
import type { ActivityPage, LedgerStore } from "../../store.ts";
import { listActive, listHeads } from "./active-list.ts";
import { ChangeReader } from "./change-reader.ts";
import { CHANGES } from "./columns.ts";
import type { SqlSession, Statement } from "./engine.ts";
import { type Note, Notes, Touches } from "./notes.ts";
import { INSERTS, type Statements } from "./statements.ts";

/** How long what happened is gathered before it is written. */
const GATHER_MS = 200;
/** When it is tried again where it could not be written. */
const RETRY_MS = 2_000;
/** How long other processes have to read what was written for them. */
const KEEP_MS = 30_000;
/** Changes that are kept, however young: processes that end before they were read leave theirs to the next one. */
const KEEP_CHANGES = 10_000;
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
  /**
   * Finds threads in which more happened than the table says, among what was written last: tenant, thread and id. A process
   * that died may have left them.
   */
  behind: Statement;
  /** Something was written for those who watch these tenants elsewhere. */
  wrote(tenants: Iterable<string>): void;
}

export class Activity {
  readonly #parts: ActivityParts;
  /** Tells this process's own changes from others'. */
  readonly #self = randomUUID();
  readonly #reader: ChangeReader;
  readonly #notes = new Notes();
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;
  #caughtUp: Promise<void> | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Numbers that were the last at some time, oldest first. */
  readonly #marks: { at: number; number: number }[] = [];

  constructor(parts: ActivityParts) {
    this.#parts = parts;
    this.#reader = new ChangeReader(parts, this.#self);
  }

  committed({ list }: Touches): void {
    for (const touched of list) {
      this.#notes.add(touched);
      this.#reader.tell(touched.tenant, touched);
    }
    if (list.length > 0) this.#flushLater(GATHER_MS);
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
    if (taken === 0) return 0;
    for (const { tenant, threadId, id } of heard.list) this.#notes.raise(tenant, threadId, id);
    this.#flushLater(GATHER_MS);
    return taken;
  }

  watch: LedgerStore["watchThreads"] = (tenant, tell) => this.#reader.watch(tenant, tell);

  async threads(tenant: string, page: ActivityPage): Promise<ActiveThread[]> {
    await (this.#caughtUp ??= this.#catchUp());
    return listActive(this.#parts, tenant, page, this.#notes.activities(tenant));
  }

  async heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]> {
    await (this.#caughtUp ??= this.#catchUp());
    return listHeads(this.#parts, tenant, ids, this.#notes.activities(tenant));
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

  /** Once, before the first list: what is found is known from then on, and written with the rest. */
  async #catchUp(): Promise<void> {
    try {
      for (const [tenant, threadId, id] of await this.#parts.session.all(this.#parts.behind, [])) {
        this.#notes.raise(String(tenant), String(threadId), String(id));
      }
      this.#flushLater(GATHER_MS);
    } catch (error) {
      // The next list tries again.
      this.#caughtUp = undefined;
      throw error;
    }
  }

  #flushLater(ms: number): void {
    if (this.#isOpen) this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), ms).unref();
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const notes = this.#notes.take();
    for (let at = 0; at < notes.length; at += BATCH) {
      const batch = notes.slice(at, at + BATCH);
      try {
        await this.#parts.transact((session) => this.#write(session, batch));
      } catch (error) {
        this.#notes.giveBack(notes.slice(at));
        this.#flushLater(RETRY_MS);
        throw error;
      }
      this.#notes.written(batch);
      this.#parts.wrote(new Set(batch.map(({ tenant }) => tenant)));
    }
  }

  *#write(session: SqlSession, batch: readonly Note[]): Steps<void> {
    const { fixed } = this.#parts.statements;
    const active = batch.filter(({ lastActivity }) => lastActivity !== "");
    if (active.length > 0) {
      const places = active.map(({ tenant, threadId, lastActivity }) => [tenant, threadId, lastActivity]);
      yield* got(session.run(fixed["raise-activity"], [JSON.stringify(places)]));
    }
    const source = this.#self;
    const told = batch.flatMap(({ tenant, threadId, changes }) =>
      changes.size === 0 ? [] : [CHANGES.encode({ tenant, threadId, changes: [...changes].join(" "), source })],
    );
    if (told.length === 0) return;
    yield* got(session.insert(INSERTS.changes, told));
    yield* this.#forgetOld(session);
  }

  /** What every watcher had the time to read, and what was left by processes that are gone. */
  *#forgetOld(session: SqlSession): Steps<void> {
    const { fixed } = this.#parts.statements;
    const now = performance.now();
    const [row] = yield* got(session.all(fixed["last-change"], [0]));
    const last = Number(row?.[0] ?? 0);
    const old = this.#marks.findLast(({ at }) => at < now - KEEP_MS);
    const upTo = old?.number ?? (this.#marks.length === 0 ? last - KEEP_CHANGES : 0);
    if (old !== undefined) this.#marks.splice(0, this.#marks.indexOf(old) + 1);
    if (upTo > 0) yield* got(session.run(fixed["delete-old-changes"], [upTo]));
    this.#marks.push({ at: now, number: last });
  }
}
