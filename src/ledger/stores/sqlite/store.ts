// A store in a SQLite file, for one or several processes of one machine. Node's own SQLite, one connection.
import { LedgerError } from "../../errors.ts";
import type { ThreadChange } from "../../overview/types.ts";
import type { ActiveThread, ListedHead, MessageRow } from "../../rows.ts";
import type { Steps } from "../../steps.ts";
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
import type { Statement } from "../sql/engine.ts";
import { SqlReads } from "../sql/reads.ts";
import { Statements } from "../sql/statements.ts";
import { type Connection, DATA_VERSION } from "./connection.ts";
import { SQLITE } from "./flavour.ts";
import { SqliteTables } from "./heads.ts";
import { patiently } from "./patience.ts";
import { CommitQueue } from "./queue.ts";
import { indexMessages, OPTIMIZE, search } from "./search.ts";
import { Watchers } from "./watchers.ts";

/** Moves the log into the file and makes it empty. Gives whether somebody was in the way first. */
const EMPTY_LOG: Statement = { name: "empty-log", sql: "PRAGMA wal_checkpoint(TRUNCATE)" };
const MOVE_LOG: Statement = { name: "move-log", sql: "PRAGMA wal_checkpoint(PASSIVE)" };

/** Rows are numbered as they come. */
const LAST = 1000;
const BEHIND: Statement = {
  name: "behind",
  sql: `SELECT n.tenant, n.thread_id, max(n.id) FROM (
      SELECT tenant, thread_id, id FROM messages WHERE number > (SELECT max(number) FROM messages) - ${LAST}
      UNION ALL SELECT tenant, thread_id, id FROM log WHERE rowid > (SELECT max(rowid) FROM log) - ${LAST} AND kind <> 'delta'
    ) n CROSS JOIN activity a WHERE a.tenant = n.tenant AND a.thread_id = n.thread_id AND a.last_activity < n.id
    GROUP BY n.tenant, n.thread_id`,
};

const STATEMENTS = new Statements(SQLITE);

export class SqliteStore implements LedgerStore {
  readonly name = "sqlite";
  readonly reads: LedgerReads;
  readonly #connection: Connection;
  readonly #busyMs: number;
  readonly #queue: CommitQueue;
  readonly #watchers: Watchers;
  readonly #activity: Activity;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, options: { sync: "full" | "normal"; busyMs: number }) {
    this.#connection = connection;
    this.#busyMs = options.busyMs;
    const watchers = new Watchers(() => Number(connection.read(DATA_VERSION)[0]?.[0]));
    this.#watchers = watchers;
    this.reads = new SqlReads(connection, STATEMENTS);
    const touches = new Touches();
    const tables = new SqliteTables(connection, STATEMENTS, (tenant, threadId, change, id) => {
      watchers.touch(tenant, threadId);
      if (change !== undefined) touches.add(tenant, threadId, change, id);
    });
    this.#queue = new CommitQueue(connection, tables, {
      busyMs: options.busyMs,
      sync: options.sync,
      committed: () => {
        watchers.committed();
        this.#activity.committed(touches);
        touches.clear();
      },
      undone: () => touches.clear(),
    });
    this.#activity = new Activity({
      statements: STATEMENTS,
      session: connection,
      transact: (work) => this.#queue.write(() => work(connection)),
      watch: (tenant, wake) => watchers.watch({ tenant, threadId: "" }, wake),
      behind: BEHIND,
      // Other processes see it by the file's counter.
      wrote: () => undefined,
    });
  }

  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    return this.#closing === undefined ? this.#queue.write(work) : Promise.reject(closed());
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    this.#demandOpen();
    return this.#watchers.watch(key, wake);
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
    this.#demandOpen();
    return this.#activity.indexing(textOf, (heard) =>
      indexMessages(this.#connection, (work) => this.write(work), heard, limit),
    );
  }

  async search(query: SearchQuery): Promise<SearchHit[]> {
    this.#demandOpen();
    return search(this.#connection, query);
  }

  /** Also takes out of the search index for good what is no longer found with it. */
  async vacuum(): Promise<void> {
    this.#demandOpen();
    await patiently(this.#busyMs, () => this.#connection.execute(OPTIMIZE));
    await patiently(this.#busyMs, () => this.#connection.once("vacuum", "VACUUM"));
    await patiently(this.#busyMs, () => {
      if (this.#connection.read(EMPTY_LOG)[0]?.[0] !== 0) throw new LedgerError("busy", "Somebody reads the log.");
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // What is under way first: it has something to tell, too.
    await this.#queue.idle();
    await this.#activity.close();
    await this.#queue.idle();
    this.#watchers.close();
    try {
      this.#connection.read(MOVE_LOG);
    } catch {
      // The log stays for whoever opens the file next: what is in it is as durable as the file.
    }
    this.#connection.close();
  }

  #demandOpen(): void {
    if (this.#closing !== undefined) throw closed();
  }
}

function closed(): LedgerError {
  return new LedgerError("closed", "The ledger was closed.");
}
