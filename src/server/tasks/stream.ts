// A task's events over SSE. Every event has its durable id; the queue, which is a picture and no event, has none (B96).
import { LedgerError, type LedgerErrorCode } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { queryText } from "../api/reading.ts";
import { ServerError } from "../errors.ts";
import { sse } from "../http/sse.ts";
import type { Reply, ServerRequest, Services } from "../types.ts";
import { parseId } from "./events.ts";
import { feed, type FeedOptions } from "./feed.ts";
import type { Journal } from "./journal.ts";

const NAMESPACE = /^[\w.-]{1,64}$/;

/** Throws where the reader's place is none of this task's. */
export async function streamTask(services: Services, request: ServerRequest, journal: Journal): Promise<Reply> {
  const namespace = queryText(request, "namespace") ?? "koine";
  if (!NAMESPACE.test(namespace)) {
    const message = "A namespace has at most 64 letters, digits, dots, dashes and underscores.";
    throw new ServerError("invalid-request", message, { path: "namespace" });
  }
  // A browser that connects again knows better than the address it was given.
  const after = request.headers["last-event-id"] || queryText(request, "after");
  if (after !== undefined) await demandPlace(journal, after);
  return sse(
    services,
    request,
    (signal) => frames(journal, namespace, { after, signal, effects: services.session.effects }),
    {
      opening: "retry: 1000\n\n",
    },
  );
}

/** While there is still a status to say it with. */
async function demandPlace({ ledger, threadId }: Journal, after: string): Promise<void> {
  const { cursor, seen } = parseId(after);
  try {
    const place = { threadId, after: cursor, known: true, gaps: "skip" } as const;
    for await (const _ of ledger.follow({ ...place, signal: AbortSignal.abort() }));
    // Only messages are told in parts.
    if (seen !== undefined) await ledger.transcript(threadId, { branch: cursor, limit: 1 });
  } catch (cause) {
    if (!(cause instanceof LedgerError) || !NO_PLACE.has(cause.code)) throw cause;
    const message = "No event of this task has this id. Leave it out to be told everything from the beginning.";
    throw new ServerError("invalid-request", message, { path: "last-event-id", cause });
  }
}

const NO_PLACE: ReadonlySet<string> = new Set<LedgerErrorCode>(["cursor-invalid", "unknown-message", "invalid-input"]);

async function* frames(
  journal: Journal,
  namespace: string,
  options: FeedOptions,
): AsyncGenerator<JsonEvent, void, void> {
  for await (const fed of feed(journal, options)) {
    if ("queue" in fed) yield { event: `${namespace}.queued_messages.synchronized`, data: fed.queue };
    else yield { event: namespace, id: fed.id, data: fed.event };
  }
}
