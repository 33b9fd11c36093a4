// Threads over HTTP: listed, made, shown, changed and deleted.
import type { ThreadPage } from "../../ledger/index.ts";
import { list, nullable, object, string } from "../../model/shape.ts";
import { message } from "../../model/shapes.ts";
import { facts } from "../openapi/schemas.ts";
import type { Caller, Reply, Route, ServerRequest, Services } from "../types.ts";
import { param, queryCount, queryText, readBody } from "./reading.ts";
import { jsonReply, route, says, text, whole } from "./replies.ts";

const MOST = 500;
const PAGE = 50;

const NEW_THREAD = object({}, { id: string, title: string, kind: string, metadata: facts, messages: list(message) });
const CHANGES = object({}, { title: nullable(string), metadata: nullable(facts) });

export function threadRoutes({ config }: Services): Route[] {
  const { limits } = config;
  return [
    route("GET", "/v1/threads", LIST, listThreads),
    route("POST", "/v1/threads", CREATE, async (request, { ledger, scope }) => {
      const { messages, ...given } = await readBody(request, limits, NEW_THREAD);
      const made = await ledger.createThread({ ...given, scope });
      if (messages === undefined || messages.length === 0) return jsonReply(201, made);
      try {
        await ledger.append(made.id, messages);
      } catch (error) {
        // Whoever asked is told that there is none.
        await ledger.purge({ what: "thread", threadId: made.id });
        throw error;
      }
      return jsonReply(201, await ledger.thread(made.id));
    }),
    route("GET", "/v1/threads/:id", SHOW, async (request, { ledger }) =>
      jsonReply(200, await ledger.thread(param(request, "id"))),
    ),
    route("PATCH", "/v1/threads/:id", CHANGE, async (request, { ledger }) => {
      const changes = await readBody(request, limits, CHANGES);
      return jsonReply(200, await ledger.updateThread(param(request, "id"), changes));
    }),
    route("DELETE", "/v1/threads/:id", DELETE, async (request, { ledger }) => {
      const threadId = param(request, "id");
      // An unknown one is a mistake here, though there is nothing to delete.
      await ledger.thread(threadId);
      return jsonReply(200, await ledger.purge({ what: "thread", threadId }));
    }),
  ];
}

async function listThreads(request: ServerRequest, { ledger }: Caller): Promise<Reply> {
  const limit = queryCount(request, "limit", MOST) ?? PAGE;
  const search = queryText(request, "search");
  if (search !== undefined) {
    const hits = await ledger.search(search, { limit: MOST });
    const ids = [...new Set(hits.map(({ threadId }) => threadId))].slice(0, limit);
    return jsonReply(200, { threads: await Promise.all(ids.map((id) => ledger.thread(id))), next: null });
  }
  const page: ThreadPage = { limit, before: queryText(request, "before") };
  const kind = queryText(request, "kind");
  if (kind !== undefined) page.kind = kind === "none" ? null : kind;
  const threads = await ledger.threads(page);
  return jsonReply(200, { threads, next: threads.length < limit ? null : (threads.at(-1)?.id ?? null) });
}

const LIST = {
  id: "listThreads",
  summary: "Threads, newest first, a page at a time; with `search`, those that hold the words, best first.",
  query: {
    limit: whole(`At most so many; default ${PAGE}, at most ${MOST}.`),
    before: text("`next` of the page before."),
    kind: text("Only those of this kind, such as `task`; `none`: plain conversations."),
    search: text("Words that a message of the thread holds."),
  },
  replies: { 200: says("A page. `next` is null at the end.", "ThreadList") },
} as const;
const CREATE = {
  id: "createThread",
  summary: "Makes a thread, with messages where some are given. An id that is taken is a conflict.",
  body: NEW_THREAD,
  replies: { 201: says("The thread.", "Thread") },
} as const;
const SHOW = {
  id: "getThread",
  summary: "A thread.",
  replies: { 200: says("The thread.", "Thread") },
} as const;
const CHANGE = {
  id: "updateThread",
  summary: "Changes title and metadata; null removes. Metadata are replaced as a whole.",
  body: CHANGES,
  replies: { 200: says("The thread as it is now.", "Thread") },
} as const;
const DELETE = {
  id: "deleteThread",
  summary: "Deletes a thread for good, with its messages and runs. One with a live run is a conflict.",
  replies: { 200: says("What was deleted.", "Deleted") },
} as const;
