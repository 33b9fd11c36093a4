// Reads a thread's history after a cursor as events, in bounded batches. Messages and log rows are merged by id.
import type { StoredMessage } from "../../model/index.ts";
import type { BlobMode } from "../blobs/index.ts";
import { readMessages } from "../messages/message-body.ts";
import { decodeEntry } from "../threads/journal.ts";
import type { LogRow, MessageHeader, MessageRow, RunRow } from "../store/rows.ts";
import { decodeBatch, decodeRunEvent } from "../runs/log-bodies.ts";
import { END_STATES, isLive } from "../runs/transitions.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import type { IdRange } from "../store/queries.ts";
import type { LedgerEvent } from "../types.ts";
import { type Cursor, formatCursor, toPreviousId } from "./cursor.ts";
import { createCursorGoneError, GapDetector } from "./compacted-gaps.ts";
import { RunMetadataCache } from "./run-metadata.ts";

/** The number of rows of the first read; it is small, because many readers only need the last few events. */
const FIRST_READ_SIZE = 16;
/** The maximum number of rows per read. */
const MAX_READ_SIZE = 64;

/** A decoded message and the id of the run that produced it. */
interface MessageWithRun {
  id: string;
  runId: string | null;
  message: StoredMessage;
}

/** Reads rows in batches and returns them one by one. */
class RowBuffer<Row extends { id: string }> {
  #rows: readonly Row[] = [];
  #at = 0;
  #after: string;
  #limit = FIRST_READ_SIZE;
  readonly #read: (range: IdRange) => Promise<{ rows: readonly Row[]; end?: string }>;

  /**
   * `read` returns rows of a range. If there may be more rows in the range, `read` also returns `end`, the id up to
   * which it has read.
   */
  constructor(after: string, read: (range: IdRange) => Promise<{ rows: readonly Row[]; end?: string }>) {
    this.#after = after;
    this.#read = read;
  }

  /**
   * Returns the next row with an id up to `upTo` without removing it; undefined if there is none. Reads more rows only
   * if the buffer is empty.
   */
  async peek(upTo: string): Promise<Row | undefined> {
    while (this.#at === this.#rows.length) {
      if (this.#after >= upTo) return undefined;
      const { rows, end = upTo } = await this.#read({ after: this.#after, upTo, limit: this.#limit });
      this.#limit = Math.min(this.#limit * 2, MAX_READ_SIZE);
      this.#rows = rows;
      this.#at = 0;
      this.#after = end;
    }
    return this.#rows[this.#at];
  }

  shift(): void {
    this.#at++;
  }
}

/** The events of a thread, or of one run. */
export class ThreadFeed {
  readonly #scope: LedgerScope;
  readonly #key: ThreadKey;
  readonly #runId: string | undefined;
  readonly #blobs: BlobMode;
  /**
   * For a feed of one ended run: the id of the run's last delta row, or the run's id if it has no deltas; otherwise
   * undefined. After this id, a reader needs only the row of the run's end, so the next read is limited to one row.
   */
  readonly #deltasEnd: string | undefined;
  readonly #metadata: RunMetadataCache;
  readonly #start: Cursor;
  /** Detects gaps; undefined if gaps are skipped. */
  readonly #gaps: GapDetector | undefined;
  readonly #messages: RowBuffer<MessageWithRun>;
  readonly #log: RowBuffer<LogRow>;

  /** If `run` is given, the feed contains only the events of that run. */
  constructor(
    scope: LedgerScope,
    key: ThreadKey,
    start: Cursor,
    { run, skipsGaps, blobs }: { run?: RunRow | undefined; skipsGaps: boolean; blobs: BlobMode },
  ) {
    this.#scope = scope;
    this.#key = key;
    this.#runId = run?.id;
    this.#blobs = blobs;
    this.#deltasEnd = run === undefined || isLive(run.state) ? undefined : (run.lastDeltaId ?? run.id);
    this.#metadata = new RunMetadataCache(scope);
    this.#start = start;
    this.#gaps = skipsGaps ? undefined : new GapDetector(start);
    this.#messages = new RowBuffer(start.id, (range) => this.#readMessages(range));
    this.#log = new RowBuffer(start.delta === undefined ? start.id : toPreviousId(start.id), (range) =>
      this.#readLog(range),
    );
  }

  /**
   * Returns the events of the next row with an id up to `upTo`: an empty list if the row cannot be read, undefined if
   * there is no such row.
   */
  async next(upTo: string): Promise<LedgerEvent[] | undefined> {
    const row = await this.#log.peek(upTo);
    const message = await this.#messages.peek(this.#runId === undefined ? upTo : findMessageLimit(row));
    if (message !== undefined && (row === undefined || message.id < row.id)) {
      this.#messages.shift();
      const { id: cursor, runId } = message;
      return [{ cursor, type: "message", ...(runId !== null && { runId }), message: message.message }];
    }
    if (row === undefined) return undefined;
    this.#log.shift();
    if (row.kind === "entry") return this.#entryEvent(row);
    return row.kind === "run" ? this.#stateEvent(row) : this.#deltaEvents(row);
  }

  async #readMessages(range: IdRange): Promise<{ rows: MessageWithRun[]; end?: string }> {
    const runId = this.#runId;
    const { reads } = this.#scope.store;
    const rows = await (runId === undefined ? reads.messages(this.#key, range) : reads.headers(this.#key, range));
    const messageRows = runId === undefined ? rows.filter(hasBody) : await this.#readRowsOfRun(rows, runId);
    const runIds = new Map(messageRows.map((row) => [row.id, row.runId]));
    const messages = await readMessages(this.#scope, messageRows, this.#blobs);
    const decoded = messages.map((message) => ({ id: message.id, runId: runIds.get(message.id) ?? null, message }));
    return { rows: decoded, ...findReadEnd(rows, range) };
  }

  /** Reads the rows of a run's messages. The bodies of other messages are not read. */
  async #readRowsOfRun(headers: readonly MessageHeader[], runId: string): Promise<MessageRow[]> {
    const rows: MessageRow[] = [];
    for (const header of headers) {
      if (header.runId !== runId) continue;
      const row = await this.#scope.store.reads.message(this.#key, header.id);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  async #readLog(range: IdRange): Promise<{ rows: LogRow[]; end?: string }> {
    const runId = this.#runId;
    const start = this.#start;
    const bounded = this.#limitToRun(range);
    const rows = await this.#scope.store.reads.log(this.#key, runId === undefined ? bounded : { ...bounded, runId });
    const unread = start.delta === undefined ? rows : rows.filter(({ id }) => id >= start.id);
    for (const row of unread) this.#assertNoGap(row);
    const more = bounded.upTo === range.upTo || bounded.upTo === undefined ? {} : { end: bounded.upTo };
    return { rows: unread, ...more, ...findReadEnd(rows, bounded) };
  }

  /**
   * Limits a read of an ended run to its deltas, and the read after them to one row: a larger read would scan all rows
   * after the run.
   */
  #limitToRun(range: IdRange): IdRange {
    const deltasEnd = this.#deltasEnd;
    if (deltasEnd === undefined) return range;
    const { after = "", upTo = deltasEnd } = range;
    return after < deltasEnd ? { ...range, upTo: upTo < deltasEnd ? upTo : deltasEnd } : { ...range, limit: 1 };
  }

  /**
   * Throws "cursor-gone" if a row is the end of a run of which the reader missed deltas. No event after such a gap is
   * returned, because the events would look complete.
   */
  #assertNoGap(row: LogRow): void {
    if (this.#gaps === undefined || row.kind === "entry") return;
    if (row.kind === "delta") return this.#gaps.addDeltaRow(row);
    const event = this.#tryDecode(row, () => decodeRunEvent(row));
    if (event === undefined || !END_STATES.includes(event.run.state) || !this.#gaps.hasGap(row.runId, event)) return;
    throw createCursorGoneError(row.runId);
  }

  async #stateEvent(row: LogRow): Promise<LedgerEvent[]> {
    const event = this.#tryDecode(row, () => decodeRunEvent(row));
    return event === undefined
      ? []
      : [{ cursor: row.id, type: "run", runId: row.runId, run: await this.#metadata.addMetadata(event) }];
  }

  #entryEvent(row: LogRow): LedgerEvent[] {
    const entry = this.#tryDecode(row, () => decodeEntry(row));
    return entry === undefined ? [] : [{ cursor: row.id, type: "entry", entry }];
  }

  #deltaEvents(row: LogRow): LedgerEvent[] {
    const { id, runId } = row;
    const deltas = this.#tryDecode(row, () => decodeBatch(runId, row.body)) ?? [];
    const seen = id === this.#start.id ? (this.#start.delta ?? deltas.length) : -1;
    return deltas.slice(seen + 1).map((delta, offset): LedgerEvent => {
      const index = seen + 1 + offset;
      const cursor = formatCursor(index === deltas.length - 1 ? { id } : { id, delta: index });
      return { cursor, type: "delta", runId, delta };
    });
  }

  /**
   * Decodes a body with `read`. If the body is damaged, the row is reported and undefined is returned, so that the
   * other rows stay readable (B91).
   */
  #tryDecode<T>({ id: messageId, threadId }: LogRow, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#scope.report({ threadId, messageId, reason: `A row of the log cannot be read: ${String(error)}` });
      return undefined;
    }
  }
}

/**
 * Returns the id up to which messages of a run are read before the run's log row `row`. The messages are written
 * together with the run's end, so they precede only a state change; for other rows the limit is "", which selects no
 * messages.
 */
function findMessageLimit(row: LogRow | undefined): string {
  return row?.kind === "run" ? row.id : "";
}

/** True if the row was read with its body. */
function hasBody(row: MessageHeader | MessageRow): row is MessageRow {
  return "body" in row;
}

/**
 * Returns the id of the last row as `end` if the read returned as many rows as its limit, because there may then be
 * more.
 */
function findReadEnd(rows: readonly { id: string }[], { limit }: IdRange): { end?: string } {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return last === undefined ? {} : { end: last.id };
}
