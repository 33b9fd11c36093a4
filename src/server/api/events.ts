// Live events of threads and runs: replay, then what happens, over SSE. Each has its durable cursor as `id:`; frames that
// are about the stream itself carry none, so that they never become a reader's place (B96).
import type { FollowOptions, Ledger, LedgerEvent } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { serverErrorOf } from "../http/failure.ts";
import { sse } from "../http/sse.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, Reply, Route, ServerRequest, Services } from "../types.ts";
import { namedId } from "./named.ts";
import { queryText, queryWord } from "./reading.ts";
import { route, text } from "./replies.ts";

export function eventRoutes(services: Services, recorder: Recorder): Route[] {
  const named = namedId(recorder);
  return [
    route("GET", "/v1/threads/:id/events", OF_THREAD, async (request, caller) => {
      const threadId = await named(request, caller);
      await caller.ledger.thread(threadId);
      return followed(services, request, caller, { threadId });
    }),
    route("GET", "/v1/runs/:id/events", OF_RUN, async (request, caller) => {
      const runId = await named(request, caller);
      const { threadId } = await caller.ledger.run(runId);
      return followed(services, request, caller, { threadId, runId });
    }),
  ];
}

async function followed(
  services: Services,
  request: ServerRequest,
  { ledger }: Caller,
  wanted: Pick<FollowOptions, "threadId" | "runId">,
): Promise<Reply> {
  // A browser that connects again knows better than the address it was given.
  const after = request.headers["last-event-id"] || queryText(request, "after");
  const options: FollowOptions = {
    ...wanted,
    after,
    gaps: queryWord(request, "gaps", ["throw", "skip"]),
    blobs: queryWord(request, "blobs", ["inline", "reference"]),
  };
  await demandCursor(ledger, options);
  if (wanted.runId !== undefined && (await isOver(ledger, options))) return { status: 204, headers: {} };
  return sse(services, request, (signal) => eventsOf(ledger, { ...options, signal }), {
    opening: "retry: 1000\n\n",
    failure: controlFrame,
  });
}

/** The events of a run from its beginning, as the reply to the request that began it. */
export function followRun(
  services: Services,
  request: ServerRequest,
  { ledger }: Caller,
  run: { threadId: string; runId: string },
  headers: Record<string, string>,
): Reply {
  return sse(services, request, (signal) => eventsOf(ledger, { ...run, signal }), { failure: controlFrame, headers });
}

/**
 * Throws for a cursor that is none, or whose events are gone, while there is still a status to say it with. A reader that
 * has left before it begins is told no events, but is told that.
 */
async function demandCursor(ledger: Ledger, options: FollowOptions): Promise<void> {
  for await (const _ of ledger.follow({ ...options, signal: AbortSignal.abort() }));
}

/** Whether a reader of a run has seen its end: told with a 204, browsers do not connect again. */
async function isOver(ledger: Ledger, { runId = "", ...options }: FollowOptions): Promise<boolean> {
  if (options.after === undefined || options.after === "now") return false;
  const { state } = await ledger.run(runId);
  if (state === "created" || state === "streaming") return false;
  const events = ledger.follow({ ...options, runId });
  const { done } = await events.next();
  await events.return?.();
  return done === true;
}

async function* eventsOf(ledger: Ledger, options: FollowOptions): AsyncIterable<JsonEvent> {
  for await (const event of ledger.follow(options)) yield frameOf(event);
  // A run has ended; a thread's reader has left, and reads no more.
  if (options.runId !== undefined && options.signal?.aborted !== true) yield { event: "end", data: {} };
}

function frameOf({ cursor, ...event }: LedgerEvent): JsonEvent {
  return { id: cursor, event: event.type, data: event };
}

/** A frame about the stream itself, where it cannot go on. */
function controlFrame(error: unknown): JsonEvent | undefined {
  if (!isFinal(error)) return undefined;
  const { code, message, path } = serverErrorOf(error);
  return { event: code === "gone" ? "gone" : "error", data: { error: { code, message, path } } };
}

/** Whether it would be the same again. A ledger that closes is opened again: the reader comes back by itself. */
export function isFinal(error: unknown): boolean {
  return error instanceof LedgerError && !["closed", "unavailable", "busy"].includes(error.code);
}

const EVENTS = "text/event-stream";
const RESUME = {
  query: {
    after: text("A cursor, the `id:` of an earlier event: only what came after it. `now`: only what comes next."),
    gaps: {
      ...text("`skip`: deltas that are not kept any more are passed over, instead of a 410."),
      enum: ["throw", "skip"],
    },
    blobs: { ...text("Large contents of messages inline (default), or as references."), enum: ["inline", "reference"] },
  },
  headers: { "last-event-id": text("As `after`; browsers send it when they connect again.") },
};
const OF_THREAD = {
  id: "followThread",
  summary:
    "Everything that happens in a thread, from its beginning or a cursor on: `delta`, `message`, `run`, `entry`.",
  ...RESUME,
  heavy: true as const,
  replies: {
    200: { description: "Server-sent events; `gone` and `error`, without an id, end the stream.", type: EVENTS },
    410: {
      description: "Deltas after the cursor are not kept any more: read the messages, and follow from `now`.",
      schema: "Error",
    },
  },
};
const OF_RUN = {
  id: "followRun",
  summary: "Everything that happens in a run, up to its end.",
  ...RESUME,
  heavy: true as const,
  replies: {
    200: { description: "Server-sent events; `end`, without an id, is the last one.", type: EVENTS },
    204: { description: "The run has ended, and the cursor is that of its end." },
    410: { description: "Deltas after the cursor are not kept any more: read the messages.", schema: "Error" },
  },
};
