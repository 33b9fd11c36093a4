// Follows a thread or a run: what happened since a cursor, then what happens, each event once and in order. Nothing is
// read before it is asked for.
import { isObject } from "../../model/kind.ts";
import { checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { unknownRun } from "../runs/locked.ts";
import { ENDS, isLive } from "../runs/transitions.ts";
import type { RunRow, ThreadHead } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { threadHead, threadKey } from "../threads.ts";
import type { FollowOptions, LedgerEvent } from "../types.ts";
import { type Cursor, parseCursor } from "./cursor.ts";
import { Feed } from "./feed.ts";
import { demandNoGap, demandPlace } from "./gaps.ts";
import { Interest, Wakeups } from "./wait.ts";

type Events = AsyncGenerator<LedgerEvent, void, void>;

/** Ends at `signal` and at `return()`, without an error; with a `runId` also when that run has ended. */
export function follow(scope: Scope, options: FollowOptions): AsyncIterableIterator<LedgerEvent> {
  const wanted = checkOptions(scope, options);
  // "now" is the moment of this call, not that of the first read.
  const now = options.after === "now" ? threadHead(scope, wanted.key) : undefined;
  now?.catch(() => undefined);
  const interest = new Interest(options.signal);
  return new Following(events(scope, wanted, interest, now), interest);
}

interface Wanted {
  key: ThreadKey;
  runId: string | undefined;
  after: Cursor | undefined;
  /** Whether deltas that are gone are passed over. */
  skips: boolean;
  /** Whether the cursor must be a place of the thread. */
  known: boolean;
  blobs: "inline" | "reference";
}

function checkOptions(scope: Scope, options: FollowOptions): Wanted {
  if (!isObject(options)) throw new LedgerError("invalid-input", "Say which thread to follow: { threadId }.");
  const { threadId, runId, after, gaps = "throw", blobs = "inline" } = options;
  if (gaps !== "throw" && gaps !== "skip") {
    throw new LedgerError("invalid-input", '"gaps" must be "throw" or "skip".', { path: "gaps" });
  }
  if (blobs !== "inline" && blobs !== "reference") {
    throw new LedgerError("invalid-input", '"blobs" must be "inline" or "reference".', { path: "blobs" });
  }
  return {
    blobs,
    skips: gaps === "skip",
    known: options.known === true,
    key: threadKey(scope, threadId),
    runId: runId === undefined ? undefined : checkName(runId, "runId"),
    after: after === undefined || after === "now" ? undefined : parseCursor(after),
  };
}

/** A reader that may leave while it waits, which a generator alone would only notice at its next event. */
class Following implements AsyncIterableIterator<LedgerEvent> {
  readonly #events: Events;
  readonly #interest: Interest;

  constructor(events: Events, interest: Interest) {
    this.#events = events;
    this.#interest = interest;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<LedgerEvent, void>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<LedgerEvent, void>> {
    this.#interest.end();
    return this.#events.return();
  }
}

async function* events(
  scope: Scope,
  { key, runId, after, skips, known, blobs }: Wanted,
  interest: Interest,
  now: Promise<ThreadHead> | undefined,
): Events {
  const run = runId === undefined ? undefined : await runOf(scope, key, runId);
  if (known && after !== undefined) await demandPlace(scope, key, after);
  const start = now === undefined ? startOf(run, after) : { id: (await now).lastId };
  if (now === undefined && !skips) await demandNoGap(scope, key, start, run);
  const feed = new Feed(scope, key, start, { run, skips, blobs });
  const wakeups = new Wakeups(scope.store, key, interest);
  try {
    while (!interest.isOver) {
      // Read before the end of the history is: a run that has ended by now has its last event before that end.
      const isLast = runId !== undefined && !isLive((await runOf(scope, key, runId)).state);
      const { lastId } = await threadHead(scope, key);
      for (let read = await feed.next(lastId); read !== undefined; read = await feed.next(lastId)) {
        for (const event of read) {
          if (interest.isOver || (runId !== undefined && isPastEnd(event))) return;
          yield event;
          if (runId !== undefined && event.type === "run" && ENDS.includes(event.run.state)) return;
        }
        if (interest.isOver) return;
      }
      if (isLast) return;
      await wakeups.next();
    }
  } finally {
    wakeups.close();
  }
}

/** That a run was replaced is told after its end: whoever follows the run alone has gone by then. */
function isPastEnd(event: LedgerEvent): boolean {
  return event.type === "run" && event.run.state === "superseded";
}

/** A run is named after the place where it begins, and there is nothing of it before. */
function startOf(run: RunRow | undefined, after: Cursor = { id: "" }): Cursor {
  return run === undefined || after.id >= run.id ? after : { id: run.id, delta: -1 };
}

async function runOf(scope: Scope, { threadId }: ThreadKey, runId: string): Promise<RunRow> {
  const run = await scope.store.reads.run(scope.tenant, runId);
  if (run === undefined || run.threadId !== threadId) throw unknownRun(runId);
  return run;
}
