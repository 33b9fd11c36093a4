// Follows a thread or a run: replays the events after a cursor, then continues live, each event once and in order. Rows
// are read only when the caller requests the next event.
import { isObject } from "../../model/value-kind.ts";
import { requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { createUnknownRunError } from "../runs/lock-run.ts";
import { END_STATES, isLive } from "../runs/transitions.ts";
import type { RunRow, ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { requireThreadHead, toThreadKey } from "../threads/threads.ts";
import type { FollowOptions, LedgerEvent } from "../types.ts";
import { type Cursor, parseCursor } from "./cursor.ts";
import { ThreadFeed } from "./feed.ts";
import { assertNoGap, assertKnownCursor } from "./compacted-gaps.ts";
import { ReaderLifetime, ThreadWakeups } from "./wait-for-change.ts";

type EventGenerator = AsyncGenerator<LedgerEvent, void, void>;

/**
 * Returns an iterator over events. The iterator ends without an error when `signal` aborts, when `return()` is called
 * and, with a `runId`, when that run has ended.
 */
export function follow(scope: LedgerScope, options: FollowOptions): AsyncIterableIterator<LedgerEvent> {
  const checked = requireFollowOptions(scope, options);
  // "now" means the time of this call, not of the first `next()`, so the end of the thread is read immediately.
  const now = options.after === "now" ? requireThreadHead(scope, checked.key) : undefined;
  now?.catch(() => undefined);
  const lifetime = new ReaderLifetime(options.signal);
  return new EventIterator(readEvents(scope, checked, lifetime, now), lifetime);
}

/** The options of `follow`, checked. */
interface CheckedFollowOptions {
  key: ThreadKey;
  runId: string | undefined;
  after: Cursor | undefined;
  /** True to skip compacted deltas; false to throw "cursor-gone" for them. */
  skipsGaps: boolean;
  /** True to reject a cursor that is not a position of the thread. */
  rejectUnknownCursor: boolean;
  blobs: "inline" | "reference";
}

function requireFollowOptions(scope: LedgerScope, options: FollowOptions): CheckedFollowOptions {
  if (!isObject(options)) throw new LedgerError("invalid-input", "follow() needs { threadId }.");
  const { threadId, runId, after, gaps = "throw", blobs = "inline" } = options;
  if (gaps !== "throw" && gaps !== "skip") {
    throw new LedgerError("invalid-input", '"gaps" must be "throw" or "skip".', { path: "gaps" });
  }
  if (blobs !== "inline" && blobs !== "reference") {
    throw new LedgerError("invalid-input", '"blobs" must be "inline" or "reference".', { path: "blobs" });
  }
  return {
    blobs,
    skipsGaps: gaps === "skip",
    rejectUnknownCursor: options.rejectUnknownCursor === true,
    key: toThreadKey(scope, threadId),
    runId: runId === undefined ? undefined : requireName(runId, "runId"),
    after: after === undefined || after === "now" ? undefined : parseCursor(after),
  };
}

/**
 * The iterator that a reader receives. Its `return()` also ends a pending wait; a generator alone would notice the call
 * only at its next event.
 */
class EventIterator implements AsyncIterableIterator<LedgerEvent> {
  readonly #events: EventGenerator;
  readonly #lifetime: ReaderLifetime;

  constructor(events: EventGenerator, lifetime: ReaderLifetime) {
    this.#events = events;
    this.#lifetime = lifetime;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<LedgerEvent, void>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<LedgerEvent, void>> {
    this.#lifetime.end();
    return this.#events.return();
  }
}

async function* readEvents(
  scope: LedgerScope,
  { key, runId, after, skipsGaps, rejectUnknownCursor, blobs }: CheckedFollowOptions,
  lifetime: ReaderLifetime,
  now: Promise<ThreadHead> | undefined,
): EventGenerator {
  const run = runId === undefined ? undefined : await requireRun(scope, key, runId);
  if (rejectUnknownCursor && after !== undefined) await assertKnownCursor(scope, key, after);
  const start = now === undefined ? resolveStart(run, after) : { id: (await now).lastId };
  if (now === undefined && !skipsGaps) await assertNoGap(scope, key, start, run);
  const feed = new ThreadFeed(scope, key, start, { run, skipsGaps, blobs });
  const wakeups = new ThreadWakeups(scope.store, key, lifetime);
  try {
    while (!lifetime.hasEnded) {
      // The state of the run is read before the head: if the run has ended by now, its last event is at or before the
      // head's `lastId`.
      const isLast = runId !== undefined && !isLive((await requireRun(scope, key, runId)).state);
      const { lastId } = await requireThreadHead(scope, key);
      for (let read = await feed.next(lastId); read !== undefined; read = await feed.next(lastId)) {
        for (const event of read) {
          if (lifetime.hasEnded || (runId !== undefined && isSuperseded(event))) return;
          yield event;
          if (runId !== undefined && event.type === "run" && END_STATES.includes(event.run.state)) return;
        }
        if (lifetime.hasEnded) return;
      }
      if (isLast) return;
      await wakeups.next();
    }
  } finally {
    wakeups.close();
  }
}

/**
 * True if the event marks a run as superseded. A reader of only that run does not receive this event: it comes after
 * the end of the run, where such a reader stops.
 */
function isSuperseded(event: LedgerEvent): boolean {
  return event.type === "run" && event.run.state === "superseded";
}

/**
 * Returns the cursor to start from. No event of a run has an id before the run's id, so an earlier cursor is replaced
 * by the position directly before the run's id (`delta: -1`).
 */
function resolveStart(run: RunRow | undefined, after: Cursor = { id: "" }): Cursor {
  return run === undefined || after.id >= run.id ? after : { id: run.id, delta: -1 };
}

async function requireRun(scope: LedgerScope, { threadId }: ThreadKey, runId: string): Promise<RunRow> {
  const run = await scope.store.reads.run(scope.tenant, runId);
  if (run === undefined || run.threadId !== threadId) throw createUnknownRunError(runId);
  return run;
}
