// Defines the route `/v1/events`, which streams the changes of all threads of the tenant and all events of selected
// threads over one connection, because browsers limit the number of connections.
import type { FollowOptions, ThreadChange } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { ServerError } from "../errors.ts";
import { toServerError } from "../http/server-error.ts";
import { createSseReply } from "../http/sse.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, Route, ServerRequest, Services } from "../types.ts";
import { isPermanentError } from "./thread-events.ts";
import { MergedIterator } from "./merge-iterators.ts";
import { readQueryChoice } from "./read-request.ts";
import { defineRoute, textParameter } from "./define-route.ts";

/** The maximum number of threads that one connection can follow. */
const MAX_FOLLOWED_THREADS = 20;

export function feedRoutes(services: Services, recorder: Recorder): Route[] {
  return [
    defineRoute("GET", "/v1/events", OPERATION, async (request, caller) => {
      const cursors = readCursorsByThread(request);
      const blobs = readQueryChoice(request, "blobs", ["inline", "reference"]);
      const endController = new AbortController();
      const signal = AbortSignal.any([request.signal, services.draining, endController.signal]);
      // The ledger is watched before the reply starts, so that a client that lists threads after the stream is open
      // misses no change.
      const changes = await caller.ledger.watch({ signal });
      return createSseReply(
        services,
        request,
        () => {
          const threads = [...cursors].map(([threadId, after]) =>
            toThreadEvents(recorder, caller, { threadId, after, blobs, signal }),
          );
          return new MergedIterator(toChangeEvents(changes, endController), threads);
        },
        { opening: "retry: 1000\n\n" },
      );
    }),
  ];
}

/** Returns the cursor of each thread to follow, by thread id; undefined if the thread is followed from its start. */
function readCursorsByThread(request: ServerRequest): Map<string, string | undefined> {
  const cursors = new Map(request.query.getAll("thread").map(parseThreadCursor));
  if (cursors.size > MAX_FOLLOWED_THREADS) {
    throw new ServerError(
      "invalid-request",
      `At most ${MAX_FOLLOWED_THREADS} threads can be followed at once: remove some "thread" fields.`,
      {
        path: "thread",
      },
    );
  }
  // The cursor of `Last-Event-ID` replaces the cursor of its thread in the URL, because a browser reconnects with the
  // original URL, whose cursors are outdated.
  const last = request.headers["last-event-id"];
  if (last !== undefined && last.includes("@")) {
    const [threadId, cursor] = parseThreadCursor(last);
    if (cursors.has(threadId)) cursors.set(threadId, cursor);
  }
  return cursors;
}

/** Parses `<thread>@<cursor>`. The thread id contains no "@", because it is percent-encoded. */
function parseThreadCursor(threadCursor: string): [threadId: string, cursor: string | undefined] {
  const at = threadCursor.lastIndexOf("@");
  try {
    if (at > 0) return [decodeURIComponent(threadCursor.slice(0, at)), threadCursor.slice(at + 1) || undefined];
  } catch {
    // An invalid percent-encoding is reported below.
  }
  const message = '"thread" must be "<thread id>@<cursor>", or "<thread id>@" to follow from the start.';
  throw new ServerError("invalid-request", message, { path: "thread" });
}

/**
 * Converts thread changes to events. The events have no id, because a client that reconnects lists the threads again
 * instead of resuming (B96). The function is not a generator, because `return` of a generator that was never started
 * would not close the watch. `return` of this iterator also aborts `endController`, which ends the thread streams.
 */
function toChangeEvents(
  changes: AsyncIterableIterator<ThreadChange>,
  endController: AbortController,
): AsyncIterator<JsonEvent, void> {
  const over = { done: true, value: undefined } as const;
  return {
    async next() {
      const { done, value } = await changes.next();
      return done === true ? over : { done: false, value: { event: "thread", data: value } };
    },
    async return() {
      endController.abort();
      await changes.return?.();
      return over;
    },
  };
}

/** Yields the events of one thread. If the thread can no longer be followed, yields a `gone` event and ends. */
async function* toThreadEvents(
  recorder: Recorder,
  caller: Caller,
  options: FollowOptions & { threadId: string },
): AsyncGenerator<JsonEvent, void> {
  const { threadId } = options;
  try {
    await recorder.writePendingRuns(caller, threadId);
    for await (const { cursor, ...event } of caller.ledger.follow(options)) {
      yield { id: `${encodeURIComponent(threadId)}@${cursor}`, event: event.type, data: { threadId, ...event } };
    }
  } catch (error) {
    // A transient error is thrown. It ends the whole connection, so that the client reconnects.
    if (!isPermanentError(error)) throw error;
    const { code, message } = toServerError(error);
    yield { event: "gone", data: { threadId, error: { code, message } } };
  }
}

const OPERATION = {
  id: "followThreads",
  summary:
    "Streams changes of threads: `thread` events with the thread id and the change (`created`, `activity`, `selected`, `updated` or `deleted`). List the threads after the stream is open; the same change of a thread is sent at most four times per second. With the field `thread`, also all events of those threads.",
  query: {
    thread: {
      type: "array",
      items: { type: "string" },
      maxItems: MAX_FOLLOWED_THREADS,
      description: `\`<thread>@<cursor>\`, repeated for each thread, at most ${MAX_FOLLOWED_THREADS}: its events after this cursor, like those of \`/v1/threads/:id/events\`, with \`threadId\` and \`<thread>@<cursor>\` as id. Without a cursor, from the start. The thread id is percent-encoded.`,
    },
    blobs: {
      ...textParameter("Large contents of messages inline (default), or as references."),
      enum: ["inline", "reference"],
    },
  },
  headers: {
    "last-event-id": textParameter("The last event id, which overrides the cursor of its thread in `thread`."),
  },
  countsAsOpenCall: true as const,
  replies: {
    200: {
      description:
        "Server-sent events: `thread`, without an id, each a `ThreadChange`; `delta`, `message`, `run` and `entry` of the named threads; `gone`, without an id, with `threadId` and `error`, for a thread that can no longer be followed, while the others continue.",
      type: "text/event-stream",
    },
  },
};
