// Everything that a page looks at, over one connection, of which browsers have few: what happens to the tenant's threads,
// and all that happens in those that it names.
import type { FollowOptions, ThreadChange } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { ServerError } from "../errors.ts";
import { serverErrorOf } from "../http/failure.ts";
import { sse } from "../http/sse.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, Route, ServerRequest, Services } from "../types.ts";
import { isFinal } from "./events.ts";
import { Merged } from "./merge.ts";
import { queryWord } from "./reading.ts";
import { route, text } from "./replies.ts";

/** A reader follows so many threads at once. */
const MOST_THREADS = 20;

export function feedRoutes(services: Services, recorder: Recorder): Route[] {
  return [
    route("GET", "/v1/events", OPERATION, async (request, caller) => {
      const places = placesOf(request);
      const blobs = queryWord(request, "blobs", ["inline", "reference"]);
      const ending = new AbortController();
      const signal = AbortSignal.any([request.signal, services.draining, ending.signal]);
      // Begun before the reply is: whoever reads the list once it is open misses nothing.
      const changes = await caller.ledger.watch({ signal });
      return sse(
        services,
        request,
        () => {
          const threads = [...places].map(([threadId, after]) =>
            threadFrames(recorder, caller, { threadId, after, blobs, signal }),
          );
          return new Merged(changeFrames(changes, ending), threads);
        },
        { opening: "retry: 1000\n\n" },
      );
    }),
  ];
}

/** By thread, the cursor after which it is followed; undefined from its beginning. */
function placesOf(request: ServerRequest): Map<string, string | undefined> {
  const places = new Map(request.query.getAll("thread").map(placeOf));
  if (places.size > MOST_THREADS) {
    throw new ServerError("invalid-request", `At most ${MOST_THREADS} threads are followed at once.`, {
      path: "thread",
    });
  }
  // A browser that connects again knows better than the address it was given, of the thread that it heard of last.
  const last = request.headers["last-event-id"];
  if (last !== undefined && last.includes("@")) {
    const [threadId, cursor] = placeOf(last);
    if (places.has(threadId)) places.set(threadId, cursor);
  }
  return places;
}

/** `<thread>@<cursor>`; in what stands before the "@" there is none, because ids are written as in a path. */
function placeOf(place: string): [threadId: string, cursor: string | undefined] {
  const at = place.lastIndexOf("@");
  try {
    if (at > 0) return [decodeURIComponent(place.slice(0, at)), place.slice(at + 1) || undefined];
  } catch {
    // Told below.
  }
  const message = '"thread" must be the id of a thread, "@", and the cursor after which it is followed, or nothing.';
  throw new ServerError("invalid-request", message, { path: "thread" });
}

/**
 * Without an id: nobody resumes these, a reader that comes back reads the list anew (B96). No generator, whose end would
 * not reach the watch where nobody has read from it yet. Its end is that of everything.
 */
function changeFrames(
  changes: AsyncIterableIterator<ThreadChange>,
  ending: AbortController,
): AsyncIterator<JsonEvent, void> {
  const over = { done: true, value: undefined } as const;
  return {
    async next() {
      const { done, value } = await changes.next();
      return done === true ? over : { done: false, value: { event: "thread", data: value } };
    },
    async return() {
      ending.abort();
      await changes.return?.();
      return over;
    },
  };
}

/** A thread that cannot be followed, or not any longer, says so, and the others go on. */
async function* threadFrames(
  recorder: Recorder,
  caller: Caller,
  options: FollowOptions & { threadId: string },
): AsyncGenerator<JsonEvent, void> {
  const { threadId } = options;
  try {
    await recorder.reveal(caller, threadId);
    for await (const { cursor, ...event } of caller.ledger.follow(options)) {
      yield { id: `${encodeURIComponent(threadId)}@${cursor}`, event: event.type, data: { threadId, ...event } };
    }
  } catch (error) {
    // Else the whole connection ends.
    if (!isFinal(error)) throw error;
    const { code, message } = serverErrorOf(error);
    yield { event: "gone", data: { threadId, error: { code, message } } };
  }
}

const OPERATION = {
  id: "followThreads",
  summary:
    "What happens to threads, as it happens: `thread`, with the thread and whether it was `created`, something happened in it (`activity`), another leaf was `selected`, it was `updated` or `deleted`. Read the list after the stream is open; the same change of a thread is told at most four times a second. With `thread`, also everything that happens in those threads.",
  query: {
    thread: {
      type: "array",
      items: { type: "string" },
      maxItems: MOST_THREADS,
      description: `\`<thread>@<cursor>\`, given once for each thread, at most ${MOST_THREADS}: its events after this cursor, as \`/v1/threads/:id/events\` gives them, with \`threadId\` and \`<thread>@<cursor>\` as id. Without a cursor, from its beginning. The id is escaped as in a path.`,
    },
    blobs: { ...text("Large contents of messages inline (default), or as references."), enum: ["inline", "reference"] },
  },
  headers: { "last-event-id": text("The place of one of the threads, which counts instead of the one in `thread`.") },
  heavy: true as const,
  replies: {
    200: {
      description:
        "Server-sent events: `thread`, without an id, each a `ThreadChange`; `delta`, `message`, `run` and `entry` of the named threads; `gone`, without an id, with `threadId` and `error`, of one that cannot be followed any longer, while the others go on.",
      type: "text/event-stream",
    },
  },
};
