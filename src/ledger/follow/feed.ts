// A thread's history as events, read forwards from a cursor in bounded pieces: messages and log rows, merged by id.
import type { StoredMessage } from "../../model/index.ts";
import type { BlobMode } from "../blobs/index.ts";
import { readRows } from "../body.ts";
import { readEntry } from "../journal.ts";
import type { LogRow, MessageHeader, MessageRow, RunRow } from "../rows.ts";
import { readBatch, readRunEvent } from "../runs/log.ts";
import { ENDS, isLive } from "../runs/transitions.ts";
import type { Scope } from "../scope.ts";
import type { IdRange, ThreadKey } from "../store.ts";
import type { LedgerEvent } from "../types.ts";
import { type Cursor, formatCursor, keyBefore } from "./cursor.ts";
import { cursorGone, Gaps } from "./gaps.ts";
import { RunMetadata } from "./metadata.ts";

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
  #rows: readonly Row[] = [];
  #at = 0;
  #after: string;
  #limit = FIRST;
  readonly #read: (stretch: IdRange) => Promise<{ rows: readonly Row[]; end?: string }>;

  /** `read` says where its rows end, where there may be more. */
  constructor(after: string, read: (stretch: IdRange) => Promise<{ rows: readonly Row[]; end?: string }>) {
    this.#after = after;
    this.#read = read;
  }

  /** The next row up to an id; more is read only when none is left. */
  async peek(upTo: string): Promise<Row | undefined> {
    while (this.#at === this.#rows.length) {
      if (this.#after >= upTo) return undefined;
      const { rows, end = upTo } = await this.#read({ after: this.#after, upTo, limit: this.#limit });
      this.#limit = Math.min(this.#limit * 2, MOST);
      this.#rows = rows;
      this.#at = 0;
      this.#after = end;
    }
    return this.#rows[this.#at];
  }

  take(): void {
    this.#at++;
  }
}

export class Feed {
  readonly #scope: Scope;
  readonly #key: ThreadKey;
  readonly #runId: string | undefined;
  readonly #blobs: BlobMode;
  /** Of a run that had ended: after this its end is next, and there is no need to look further. */
  readonly #deltasEnd: string | undefined;
  readonly #metadata: RunMetadata;
  readonly #start: Cursor;
  /** Undefined where deltas that are gone are passed over. */
  readonly #gaps: Gaps | undefined;
  readonly #messages: Source<StoredAt>;
  readonly #log: Source<LogRow>;

  /** With a run, of that run only. */
  constructor(
    scope: Scope,
    key: ThreadKey,
    start: Cursor,
    { run, skips, blobs }: { run?: RunRow | undefined; skips: boolean; blobs: BlobMode },
  ) {
    this.#scope = scope;
    this.#key = key;
    this.#runId = run?.id;
    this.#blobs = blobs;
    this.#deltasEnd = run === undefined || isLive(run.state) ? undefined : (run.lastDeltaId ?? run.id);
    this.#metadata = new RunMetadata(scope);
    this.#start = start;
    this.#gaps = skips ? undefined : new Gaps(start);
    this.#messages = new Source(start.id, (stretch) => this.#readMessages(stretch));
    this.#log = new Source(start.delta === undefined ? start.id : keyBefore(start.id), (stretch) =>
      this.#readLog(stretch),
    );
  }

  /** The events of the next row up to an id, none where it cannot be read; undefined where there is no row. */
  async next(upTo: string): Promise<LedgerEvent[] | undefined> {
    const row = await this.#log.peek(upTo);
    const message = await this.#messages.peek(this.#runId === undefined ? upTo : messagesBefore(row));
    if (message !== undefined && (row === undefined || message.id < row.id)) {
      this.#messages.take();
      const { id: cursor, runId } = message;
      return [{ cursor, type: "message", ...(runId !== null && { runId }), message: message.message }];
    }
    if (row === undefined) return undefined;
    this.#log.take();
    if (row.kind === "entry") return this.#entryEvent(row);
    return row.kind === "run" ? this.#stateEvent(row) : this.#deltaEvents(row);
  }

  async #readMessages(stretch: IdRange): Promise<{ rows: StoredAt[]; end?: string }> {
    const runId = this.#runId;
    const { reads } = this.#scope.store;
    const rows = await (runId === undefined ? reads.messages(this.#key, stretch) : reads.headers(this.#key, stretch));
    const wanted = runId === undefined ? rows.filter(hasBody) : await this.#ofRun(rows, runId);
    const runOf = new Map(wanted.map((row) => [row.id, row.runId]));
    const messages = await readRows(this.#scope, wanted, this.#blobs);
    const read = messages.map((message) => ({ id: message.id, runId: runOf.get(message.id) ?? null, message }));
    return { rows: read, ...endOf(rows, stretch) };
  }

  /** The rows of a run's messages: those of others are not read. */
  async #ofRun(headers: readonly MessageHeader[], runId: string): Promise<MessageRow[]> {
    const found: MessageRow[] = [];
    for (const header of headers) {
      if (header.runId !== runId) continue;
      const row = await this.#scope.store.reads.message(this.#key, header.id);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  async #readLog(stretch: IdRange): Promise<{ rows: LogRow[]; end?: string }> {
    const runId = this.#runId;
    const start = this.#start;
    const bounded = this.#withinRun(stretch);
    const rows = await this.#scope.store.reads.log(this.#key, runId === undefined ? bounded : { ...bounded, runId });
    const wanted = start.delta === undefined ? rows : rows.filter(({ id }) => id >= start.id);
    for (const row of wanted) this.#lookForGap(row);
    const more = bounded.upTo === stretch.upTo || bounded.upTo === undefined ? {} : { end: bounded.upTo };
    return { rows: wanted, ...more, ...endOf(rows, bounded) };
  }

  /** Rows of a run are looked for one by one: a stretch of several would go on through all that came after the run. */
  #withinRun(stretch: IdRange): IdRange {
    const deltasEnd = this.#deltasEnd;
    if (deltasEnd === undefined) return stretch;
    const { after = "", upTo = deltasEnd } = stretch;
    return after < deltasEnd ? { ...stretch, upTo: upTo < deltasEnd ? upTo : deltasEnd } : { ...stretch, limit: 1 };
  }

  /** Before anything of these rows is given: what follows a gap would look like the whole. */
  #lookForGap(row: LogRow): void {
    if (this.#gaps === undefined || row.kind === "entry") return;
    if (row.kind === "delta") return this.#gaps.see(row);
    const event = this.#readable(row, () => readRunEvent(row));
    if (event === undefined || !ENDS.includes(event.run.state) || !this.#gaps.has(row.runId, event)) return;
    throw cursorGone(row.runId);
  }

  async #stateEvent(row: LogRow): Promise<LedgerEvent[]> {
    const event = this.#readable(row, () => readRunEvent(row));
    return event === undefined
      ? []
      : [{ cursor: row.id, type: "run", runId: row.runId, run: await this.#metadata.join(event) }];
  }

  #entryEvent(row: LogRow): LedgerEvent[] {
    const entry = this.#readable(row, () => readEntry(row));
    return entry === undefined ? [] : [{ cursor: row.id, type: "entry", entry }];
  }

  #deltaEvents(row: LogRow): LedgerEvent[] {
    const { id, runId } = row;
    const deltas = this.#readable(row, () => readBatch(runId, row.body)) ?? [];
    const seen = id === this.#start.id ? (this.#start.delta ?? deltas.length) : -1;
    return deltas.slice(seen + 1).map((delta, index): LedgerEvent => {
      const place = seen + 1 + index;
      const cursor = formatCursor(place === deltas.length - 1 ? { id } : { id, delta: place });
      return { cursor, type: "delta", runId, delta };
    });
  }

  /** What a body says; damage is reported and hides nothing else (B91). */
  #readable<T>({ id: messageId, threadId }: LogRow, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#scope.report({ threadId, messageId, reason: `A row of the log cannot be read: ${String(error)}` });
      return undefined;
    }
  }
}

/** A run's messages are written with its end: up to which id there may be some before a row of the run. */
function messagesBefore(row: LogRow | undefined): string {
  return row?.kind === "run" ? row.id : "";
}

/** Whether it was read with its content. */
function hasBody(row: MessageHeader | MessageRow): row is MessageRow {
  return "body" in row;
}

/** Where rows end that may not be all. */
function endOf(rows: readonly { id: string }[], { limit }: IdRange): { end?: string } {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return last === undefined ? {} : { end: last.id };
}
