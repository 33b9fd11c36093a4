// A thread's history as events, read forwards from a cursor in bounded pieces: messages and log rows, merged by id.
import type { StoredMessage } from "../../model/index.ts";
import { readRows } from "../body.ts";
import { LedgerError } from "../errors.ts";
import type { LogRow } from "../rows.ts";
import { readBatch, readRunEvent } from "../runs/log.ts";
import { ENDS } from "../runs/transitions.ts";
import type { Scope } from "../scope.ts";
import type { Stretch, ThreadKey } from "../store.ts";
import type { LedgerEvent } from "../types.ts";
import { type Cursor, formatCursor, keyBefore } from "./cursor.ts";
import { Gaps } from "./gaps.ts";

/** Rows read at a time: few at first, because many readers come back for what they missed and no more. */
const FIRST = 16;
const MOST = 64;

interface StoredAt {
  id: string;
  runId: string | null;
  message: StoredMessage;
}

/** Rows that were read and not yet given, and where to go on reading. */
class Source<Row extends { id: string }> {
  private rows: readonly Row[] = [];
  private at = 0;
  private after: string;
  private limit = FIRST;
  private readonly read: (stretch: Stretch) => Promise<{ rows: readonly Row[]; end?: string }>;

  /** `read` says where its rows end, where there may be more. */
  constructor(after: string, read: (stretch: Stretch) => Promise<{ rows: readonly Row[]; end?: string }>) {
    this.after = after;
    this.read = read;
  }

  /** The next row up to an id; more is read only when none is left. */
  async peek(upTo: string): Promise<Row | undefined> {
    while (this.at === this.rows.length) {
      if (this.after >= upTo) return undefined;
      const { rows, end = upTo } = await this.read({ after: this.after, upTo, limit: this.limit });
      this.limit = Math.min(this.limit * 2, MOST);
      this.rows = rows;
      this.at = 0;
      this.after = end;
    }
    return this.rows[this.at];
  }

  take(): void {
    this.at++;
  }
}

export class Feed {
  private readonly scope: Scope;
  private readonly key: ThreadKey;
  private readonly runId: string | undefined;
  private readonly start: Cursor;
  private readonly gaps: Gaps;
  private readonly messages: Source<StoredAt>;
  private readonly log: Source<LogRow>;

  /** With a `runId`, of that run only. */
  constructor(scope: Scope, key: ThreadKey, start: Cursor, runId?: string) {
    this.scope = scope;
    this.key = key;
    this.runId = runId;
    this.start = start;
    this.gaps = new Gaps(start);
    this.messages = new Source(start.id, (stretch) => this.readMessages(stretch));
    this.log = new Source(start.delta === undefined ? start.id : keyBefore(start.id), (stretch) =>
      this.readLog(stretch),
    );
  }

  /** The events of the next row up to an id, none where it cannot be read; undefined where there is no row. */
  async next(upTo: string): Promise<LedgerEvent[] | undefined> {
    const message = await this.messages.peek(upTo);
    const row = await this.log.peek(upTo);
    if (message !== undefined && (row === undefined || message.id < row.id)) {
      this.messages.take();
      const { id: cursor, runId } = message;
      return [{ cursor, type: "message", ...(runId !== null && { runId }), message: message.message }];
    }
    if (row === undefined) return undefined;
    this.log.take();
    return this.eventsOf(row);
  }

  private async readMessages(stretch: Stretch): Promise<{ rows: StoredAt[]; end?: string }> {
    const { runId } = this;
    const rows = await this.scope.store.reads.messages(this.key, stretch);
    const wanted = runId === undefined ? rows : rows.filter((row) => row.runId === runId);
    const runOf = new Map(wanted.map((row) => [row.id, row.runId]));
    const messages = await readRows(this.scope, wanted);
    const read = messages.map((message) => ({ id: message.id, runId: runOf.get(message.id) ?? null, message }));
    return { rows: read, ...endOf(rows, stretch) };
  }

  private async readLog(stretch: Stretch): Promise<{ rows: LogRow[]; end?: string }> {
    const { runId, start } = this;
    const rows = await this.scope.store.reads.log(this.key, runId === undefined ? stretch : { ...stretch, runId });
    const wanted = start.delta === undefined ? rows : rows.filter(({ id }) => id >= start.id);
    for (const row of wanted) this.lookForGap(row);
    return { rows: wanted, ...endOf(rows, stretch) };
  }

  /** Before anything of these rows is given: what follows a gap would look like the whole. */
  private lookForGap(row: LogRow): void {
    if (row.kind === "delta") return this.gaps.see(row);
    const event = this.readable(row, () => readRunEvent(row));
    if (event === undefined || !ENDS.includes(event.run.state) || !this.gaps.has(row.runId, event)) return;
    throw new LedgerError(
      "cursor-gone",
      `Deltas of run ${row.runId} after the cursor were compacted away; read the transcript, and follow from "now".`,
      { path: "after" },
    );
  }

  private eventsOf(row: LogRow): LedgerEvent[] {
    const { id, runId } = row;
    if (row.kind === "run") {
      const event = this.readable(row, () => readRunEvent(row));
      return event === undefined ? [] : [{ cursor: id, type: "run", runId, run: event.run }];
    }
    const deltas = this.readable(row, () => readBatch(runId, row.body)) ?? [];
    const seen = id === this.start.id ? (this.start.delta ?? deltas.length) : -1;
    return deltas.slice(seen + 1).map((delta, index): LedgerEvent => {
      const place = seen + 1 + index;
      const cursor = formatCursor(place === deltas.length - 1 ? { id } : { id, delta: place });
      return { cursor, type: "delta", runId, delta };
    });
  }

  /** What a body says; damage is reported and hides nothing else (B91). */
  private readable<T>({ id: messageId, threadId }: LogRow, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.scope.report({ threadId, messageId, reason: `A row of the log cannot be read: ${String(error)}` });
      return undefined;
    }
  }
}

/** Where rows end that may not be all. */
function endOf(rows: readonly { id: string }[], { limit }: Stretch): { end?: string } {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return last === undefined ? {} : { end: last.id };
}
