// Threads over HTTP: listed, made, shown, changed and deleted.
import type { ThreadListPage } from "../../ledger/index.ts";
import { list, nullable, object, string } from "../../model/shape.ts";
import { message } from "../../model/shapes.ts";
import { facts } from "../openapi/schemas.ts";
import type { Recorder } from "../record/types.ts";
import { withFacts } from "../tasks/task.ts";
import type { Caller, Reply, Route, ServerRequest, Services } from "../types.ts";
import { namedId } from "./named.ts";
import { queryCount, queryText, queryWord, readBody } from "./reading.ts";
import { jsonReply, route, says, text, whole } from "./replies.ts";

const MOST = 500;
const PAGE = 50;

const NEW_THREAD = object({}, { id: string, title: string, kind: string, metadata: facts, messages: list(message) });
const CHANGES = object({}, { title: nullable(string), metadata: nullable(facts) });

export function threadRoutes({ config }: Services, recorder: Recorder): Route[] {
  const { limits } = config;
  const named = namedId(recorder);
  return [
    route("GET", "/v1/threads", LIST, listThreads),
    route("POST", "/v1/threads", CREATE, async (request, { ledger, scope }) => {
      const { messages, ...given } = await readBody(request, limits, NEW_THREAD);
      return jsonReply(201, await ledger.createThread({ ...given, scope }, { messages }));
    }),
    route("GET", "/v1/threads/:id", SHOW, async (request, caller) =>
      jsonReply(200, await caller.ledger.thread(await named(request, caller))),
    ),
    route("PATCH", "/v1/threads/:id", CHANGE, async (request, caller) => {
      const { ledger } = caller;
      const { metadata, ...changes } = await readBody(request, limits, CHANGES);
      const id = await named(request, caller);
      if (metadata === undefined) return jsonReply(200, await ledger.updateThread(id, changes));
      const kept = withFacts(await ledger.thread(id), metadata);
      return jsonReply(200, await ledger.updateThread(id, { ...changes, metadata: kept }));
    }),
    route("DELETE", "/v1/threads/:id", DELETE, async (request, caller) => {
      const { ledger } = caller;
      const threadId = await named(request, caller);
      // An unknown one is a mistake here, though there is nothing to delete.
      await ledger.thread(threadId);
      return jsonReply(200, await ledger.purge({ what: "thread", threadId }));
    }),
  ];
}

async function listThreads(request: ServerRequest, { ledger }: Caller): Promise<Reply> {
  const page: ThreadListPage = {
    limit: queryCount(request, "limit", MOST) ?? PAGE,
    before: queryText(request, "before"),
    order: queryWord(request, "order", ["id", "activity"]),
    summary: queryWord(request, "summary", ["true", "false"]) === "true",
  };
  const kind = queryText(request, "kind");
  if (kind !== undefined) page.kind = kind === "none" ? null : kind;
  const search = queryText(request, "search");
  if (search === undefined) return jsonReply(200, await ledger.listThreads(page));
  return jsonReply(200, { ...(await ledger.findThreads(search, page)), next: null });
}

const LIST = {
  id: "listThreads",
  summary:
    "Threads, newest first or those in which something happened last first, a page at a time; with `search`, those whose title or messages hold the words, best first.",
  query: {
    limit: whole(`At most so many; default ${PAGE}, at most ${MOST}.`),
    before: text("`next` of the page before, in the same order."),
    kind: text("Only those of this kind, such as `task`; `none`: plain conversations."),
    order: {
      ...text("`activity`: by what happened last, a message, a run's beginning or end, an entry. Default: by id."),
      enum: ["id", "activity"],
    },
    summary: {
      ...text("`true`: each with how much it holds, what it cost, who answered, and how it begins."),
      enum: ["true", "false"],
    },
    search: text(
      "Words that the title of the thread or one of its messages holds; the last may be the beginning of one. With `hits`, at most three a thread, and `more`: whether there are threads beyond these. A last word of one letter is looked for in titles alone.",
    ),
  },
  replies: { 200: says("A page. `next` is null at the end, and with `search`.", "ThreadList") },
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
  summary:
    "Changes title and metadata; null removes. Metadata are replaced as a whole, but for what a task was made with (`task`).",
  body: CHANGES,
  replies: { 200: says("The thread as it is now.", "Thread") },
} as const;
const DELETE = {
  id: "deleteThread",
  summary: "Deletes a thread for good, with its messages and runs. One with a live run is a conflict.",
  replies: { 200: says("What was deleted.", "Deleted") },
} as const;
