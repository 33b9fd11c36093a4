// The store over Postgres: what the contract asks for, put together from connections, sessions and tables.
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { LedgerError } from "../../errors.ts";
import type { ThreadChange } from "../../overview/types.ts";
import type { ActiveThread, ListedHead, MessageRow } from "../../rows.ts";
import { runLater, type Steps } from "../../steps.ts";
import type {
  ActivityPage,
  LedgerReads,
  LedgerStore,
  LedgerTransaction,
  SearchHit,
  SearchQuery,
  ThreadKey,
} from "../../store.ts";
import { Activity } from "../sql/activity.ts";
import { Touches } from "../sql/notes.ts";
import type { Touch } from "../sql/deletions.ts";
import { SqlReads } from "../sql/reads.ts";
import { Statements } from "../sql/statements.ts";
import { type Connections, plain } from "./connections.ts";
import { ledgerError } from "./errors.ts";
import { POSTGRES, type Texts } from "./flavour.ts";
import { TABLES } from "./schema.ts";
import { BEHIND, find, indexSome, TextsMissing } from "./search.ts";
import { ReadSession, type Terms, Transaction } from "./session.ts";
import { PostgresTables } from "./tables.ts";
import { nameOf, type Wakeups } from "./wakeups.ts";

/** How often work is run that others get in the way of. */
const ATTEMPTS = 8;

/** What a store is made of. */
export interface StoreParts {
  connections: Connections;
  texts: Texts;
  wakeups: Wakeups;
  sync: "full" | "normal";
}

export class PostgresStore implements LedgerStore {
  readonly name = "postgres";
  readonly reads: LedgerReads;
  readonly #connections: Connections;
  readonly #texts: Texts;
  readonly #wakeups: Wakeups;
  readonly #terms: Terms;
  readonly #readSession: ReadSession;
  readonly #statements = new Statements(POSTGRES);
  readonly #activity: Activity;
  #closed: Promise<void> | undefined;
  /** How many are under way, and who waits for their end. */
  #writes = 0;
  #whenWritten: () => void = () => undefined;

  constructor({ connections, texts, wakeups, sync }: StoreParts) {
    this.#connections = connections;
    this.#texts = texts;
    this.#wakeups = wakeups;
    this.#terms = { busyMs: connections.busyMs, sync };
    this.#readSession = new ReadSession(connections, texts);
    this.reads = new SqlReads(this.#readSession, this.#statements);
    this.#activity = new Activity({
      statements: this.#statements,
      session: this.#readSession,
      transact: (work) => this.#transact((session) => runLater(work(session))),
      watch: (tenant, wake) => wakeups.watch({ tenant, threadId: "" }, wake),
      behind: BEHIND,
      wrote: (tenants) => wakeups.tellOthers(Array.from(tenants, (tenant) => nameOf(tenant, ""))),
    });
  }

  async write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    this.#demandOpen();
    const touched = new Set<string>();
    const touches = new Touches();
    const touch: Touch = (tenant, threadId, change, id) => {
      touched.add(nameOf(tenant, threadId));
      if (change !== undefined) touches.add(tenant, threadId, change, id);
    };
    this.#writes++;
    try {
      const result = await this.#transact((session) => {
        touched.clear();
        touches.clear();
        return runLater(work(new PostgresTables(session, this.#statements, touch)));
      });
      this.#wakeups.tell(touched);
      this.#activity.committed(touches);
      return result;
    } finally {
      this.#writes--;
      if (this.#writes === 0) this.#whenWritten();
    }
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    this.#demandOpen();
    return this.#wakeups.watch(key, wake);
  }

  async activeThreads(tenant: string, page: ActivityPage): Promise<ActiveThread[]> {
    this.#demandOpen();
    return this.#activity.threads(tenant, page);
  }

  async heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]> {
    this.#demandOpen();
    return this.#activity.heads(tenant, ids);
  }

  async watchThreads(tenant: string, tell: (changes: readonly ThreadChange[]) => void): Promise<() => void> {
    this.#demandOpen();
    return this.#activity.watch(tenant, tell);
  }

  async indexMessages(textOf: (row: MessageRow) => string | undefined, limit: number): Promise<number> {
    try {
      return await this.#activity.indexing(textOf, (heard) =>
        this.#transact((session) => indexSome(session, heard, limit)),
      );
    } catch (error) {
      if (error instanceof TextsMissing) return 0;
      throw error;
    }
  }

  async search(query: SearchQuery): Promise<SearchHit[]> {
    this.#demandOpen();
    return find(this.#readSession, query);
  }

  /** Writes every table anew, which takes room for a copy and keeps others from it meanwhile. What autovacuum does by itself is enough for most. */
  async vacuum(): Promise<void> {
    await this.#connections.lend(async (lane) => {
      try {
        await lane.send("lock-timeout", plain(`SET lock_timeout = ${this.#connections.busyMs}`));
        for (const table of TABLES) {
          const { text } = plain(`VACUUM (FULL, ANALYZE) ${this.#texts.table(table)}`);
          await lane.send("vacuum", { text });
        }
        await lane.send("reset", plain("RESET lock_timeout"));
      } catch (error) {
        // The connection goes, and the setting with it.
        lane.broken ??= error instanceof Error ? error : new Error(String(error));
        throw ledgerError(error);
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // Idle connections do not keep a program alive; who waits for them to be closed does.
    const waiting = setInterval(() => undefined, 60_000);
    try {
      // What is under way first: it has something to tell, too.
      if (this.#writes > 0) await new Promise<void>((resolve) => (this.#whenWritten = resolve));
      await this.#activity.close();
      await this.#connections.close();
      await this.#wakeups.close();
    } finally {
      clearInterval(waiting);
    }
  }

  #demandOpen(): void {
    if (this.#closed !== undefined) throw new LedgerError("closed", "The ledger was closed.");
  }

  /** Runs work in one transaction; again from its start where it failed only because others were there. */
  async #transact<T>(work: (session: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#connections.lendLater(async (ask) => {
        const session = new Transaction(ask, this.#texts, this.#terms);
        try {
          const result = await work(session);
          await session.commit();
          return { result };
        } catch (error) {
          await session.rollback();
          if (!session.isContention || attempt === ATTEMPTS) throw error;
          return undefined;
        }
      });
      if (outcome !== undefined) return outcome.result;
      await pause(randomInt(1, 5 * attempt));
    }
  }
}
