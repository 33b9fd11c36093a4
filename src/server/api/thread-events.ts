// Defines the routes that stream the events of threads and runs over SSE: first the stored events, then live ones. The
// `id:` of an event is its durable cursor. Events about the stream itself have no id, so that no client resumes from
// them (B96).
import type { FollowOptions, Ledger, LedgerEvent } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { toServerError } from "../http/server-error.ts";
import { createSseReply } from "../http/sse.ts";
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerReply, Route, ServerRequest, Services } from "../types.ts";
import { createPathIdReader } from "./path-id.ts";
import { readQueryText, readQueryChoice } from "./read-request.ts";
import { defineRoute, textParameter } from "./define-route.ts";

export function eventRoutes(services: Services, recorder: Recorder): Route[] {
  const readId = createPathIdReader(recorder);
  return [
    defineRoute("GET", "/v1/threads/:id/events", FOLLOW_THREAD, async (request, caller) => {
      const threadId = await readId(request, caller);
      await caller.ledger.thread(threadId);
      return replyWithEvents(services, request, caller, { threadId });
    }),
    defineRoute("GET", "/v1/runs/:id/events", FOLLOW_RUN, async (request, caller) => {
      const runId = await readId(request, caller);
      const { threadId } = await caller.ledger.run(runId);
      return replyWithEvents(services, request, caller, { threadId, runId });
    }),
  ];
}

async function replyWithEvents(
  services: Services,
  request: ServerRequest,
  { ledger }: Caller,
  target: Pick<FollowOptions, "threadId" | "runId">,
): Promise<ServerReply> {
  // `Last-Event-ID` has priority over `after` in the URL, because a browser reconnects with the original URL, whose
  // `after` is outdated.
  const after = request.headers["last-event-id"] || readQueryText(request, "after");
  const options: FollowOptions = {
    ...target,
    after,
    gaps: readQueryChoice(request, "gaps", ["throw", "skip"]),
    blobs: readQueryChoice(request, "blobs", ["inline", "reference"]),
  };
  await assertCursor(ledger, options);
  if (target.runId !== undefined && (await hasReadRunEnd(ledger, options))) return { status: 204, headers: {} };
  return createSseReply(services, request, (signal) => toSseEvents(ledger, { ...options, signal }), {
    opening: "retry: 1000\n\n",
    failure: createFinalEvent,
  });
}

/** Replies to the HTTP request that started a run with the events of the run from its start. */
export function followRun(
  services: Services,
  request: ServerRequest,
  { ledger }: Caller,
  run: { threadId: string; runId: string },
  headers: Record<string, string>,
): ServerReply {
  return createSseReply(services, request, (signal) => toSseEvents(ledger, { ...run, signal }), {
    failure: createFinalEvent,
    headers,
  });
}

/**
 * Throws if the cursor is invalid or the events after the cursor are no longer stored. The check happens before the
 * reply starts, so that the client receives an error status. With an aborted signal, `follow` only checks the cursor.
 */
async function assertCursor(ledger: Ledger, options: FollowOptions): Promise<void> {
  for await (const _ of ledger.follow({ ...options, signal: AbortSignal.abort() }));
}

/**
 * True if the run has ended and no events follow the client's cursor. The reply is then 204, so that an `EventSource`
 * does not reconnect.
 */
async function hasReadRunEnd(ledger: Ledger, { runId = "", ...options }: FollowOptions): Promise<boolean> {
  if (options.after === undefined || options.after === "now") return false;
  const { state } = await ledger.run(runId);
  if (state === "created" || state === "streaming") return false;
  const events = ledger.follow({ ...options, runId });
  const { done } = await events.next();
  await events.return?.();
  return done === true;
}

async function* toSseEvents(ledger: Ledger, options: FollowOptions): AsyncIterable<JsonEvent> {
  for await (const event of ledger.follow(options)) yield toSseEvent(event);
  // Only the stream of a run has an end event; the stream of a thread ends only when it is aborted.
  if (options.runId !== undefined && options.signal?.aborted !== true) yield { event: "end", data: {} };
}

function toSseEvent({ cursor, ...event }: LedgerEvent): JsonEvent {
  return { id: cursor, event: event.type, data: event };
}

/** Creates the last event of a stream that cannot continue; returns undefined if the client can reconnect. */
function createFinalEvent(error: unknown): JsonEvent | undefined {
  if (!isPermanentError(error)) return undefined;
  const { code, message, path } = toServerError(error);
  return { event: code === "gone" ? "gone" : "error", data: { error: { code, message, path } } };
}

/**
 * True if a client that reconnects would receive the error again. False if the ledger is closed, unavailable or busy.
 */
export function isPermanentError(error: unknown): boolean {
  return error instanceof LedgerError && !["closed", "unavailable", "busy"].includes(error.code);
}

const EVENT_STREAM_TYPE = "text/event-stream";
const RESUME_PARAMETERS = {
  query: {
    after: textParameter(
      "A cursor, the `id:` of an earlier event: only later events are sent. `now`: only new events.",
    ),
    gaps: {
      ...textParameter("`skip`: skips deltas that are no longer stored, instead of a 410."),
      enum: ["throw", "skip"],
    },
    blobs: {
      ...textParameter("Large contents of messages inline (default), or as references."),
      enum: ["inline", "reference"],
    },
  },
  headers: { "last-event-id": textParameter("Like `after`; browsers send it when they reconnect.") },
};
const FOLLOW_THREAD = {
  id: "followThread",
  summary: "All events of a thread, from its start or from a cursor: `delta`, `message`, `run`, `entry`.",
  ...RESUME_PARAMETERS,
  countsAsOpenCall: true as const,
  replies: {
    200: {
      description: "Server-sent events; `gone` and `error`, without an id, end the stream.",
      type: EVENT_STREAM_TYPE,
    },
    410: {
      description: "Deltas after the cursor are no longer stored: read the messages and follow from `now`.",
      schema: "Error",
    },
  },
};
const FOLLOW_RUN = {
  id: "followRun",
  summary: "All events of a run, up to its end.",
  ...RESUME_PARAMETERS,
  countsAsOpenCall: true as const,
  replies: {
    200: { description: "Server-sent events; `end`, without an id, is the last one.", type: EVENT_STREAM_TYPE },
    204: { description: "The run has ended and the cursor is at its end." },
    410: { description: "Deltas after the cursor are no longer stored: read the messages.", schema: "Error" },
  },
};
