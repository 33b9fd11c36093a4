// Streams a task's events over SSE. Every event has a durable id; snapshots of the queue have no id, so that no client
// resumes from them (B96).
import { LedgerError, type LedgerErrorCode } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { readQueryText } from "../api/read-request.ts";
import { ServerError } from "../errors.ts";
import { createSseReply } from "../http/sse.ts";
import type { ServerReply, ServerRequest, Services } from "../types.ts";
import { parseEventId } from "./task-events.ts";
import { followTask, type TaskFeedOptions } from "./task-feed.ts";
import type { TaskJournal } from "./journal.ts";

const NAMESPACE = /^[\w.-]{1,64}$/;

/** Replies with the events of a task as a stream. Throws if the client's event id does not belong to the task. */
export async function streamTask(
  services: Services,
  request: ServerRequest,
  journal: TaskJournal,
): Promise<ServerReply> {
  const namespace = readQueryText(request, "namespace") ?? "koine";
  if (!NAMESPACE.test(namespace)) {
    const message = "The namespace must have 1 to 64 letters, digits, dots, dashes and underscores.";
    throw new ServerError("invalid-request", message, { path: "namespace" });
  }
  // `Last-Event-ID` has priority over `after` in the URL, because a browser reconnects with the original URL, whose
  // `after` is outdated.
  const after = request.headers["last-event-id"] || readQueryText(request, "after");
  if (after !== undefined) await assertKnownEventId(journal, after);
  return createSseReply(
    services,
    request,
    (signal) => toSseEvents(journal, namespace, { after, signal, effects: services.clientContext.effects }),
    {
      opening: "retry: 1000\n\n",
    },
  );
}

/**
 * Throws if no event of the task has the id `after`. The check precedes the reply, so that the client gets an error
 * status.
 */
async function assertKnownEventId({ ledger, threadId }: TaskJournal, after: string): Promise<void> {
  const { cursor, seen } = parseEventId(after);
  try {
    const position = { threadId, after: cursor, rejectUnknownCursor: true, gaps: "skip" } as const;
    for await (const _ of ledger.follow({ ...position, signal: AbortSignal.abort() }));
    // If the event id has an index (`seen` is defined), its cursor must be the id of a message, because only a message
    // has several events. `transcript` throws if there is no such message.
    if (seen !== undefined) await ledger.transcript(threadId, { branch: cursor, limit: 1 });
  } catch (cause) {
    if (!(cause instanceof LedgerError) || !UNKNOWN_POSITION_CODES.has(cause.code)) throw cause;
    const message = "No event of this task has this id. Remove it to receive all events from the start.";
    throw new ServerError("invalid-request", message, { path: "last-event-id", cause });
  }
}

const UNKNOWN_POSITION_CODES: ReadonlySet<string> = new Set<LedgerErrorCode>([
  "cursor-invalid",
  "unknown-message",
  "invalid-input",
]);

async function* toSseEvents(
  journal: TaskJournal,
  namespace: string,
  options: TaskFeedOptions,
): AsyncGenerator<JsonEvent, void, void> {
  for await (const item of followTask(journal, options)) {
    if ("queue" in item) yield { event: `${namespace}.queued_messages.synchronized`, data: item.queue };
    else yield { event: namespace, id: item.id, data: item.event };
  }
}
