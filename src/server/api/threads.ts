// Defines the routes that list, create, read, change and delete threads.
import type { ThreadListPage } from "../../ledger/index.ts";
import { list, nullable, object, string } from "../../model/validation/shape.ts";
import { message } from "../../model/validation/message-shapes.ts";
import { anyMetadata } from "../openapi/schemas.ts";
import type { Recorder } from "../record/types.ts";
import { preserveTaskSettings } from "../tasks/task.ts";
import type { Caller, ServerReply, Route, ServerRequest, Services } from "../types.ts";
import { createPathIdReader } from "./path-id.ts";
import { readQueryCount, readQueryText, readQueryChoice, readBody } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter, countParameter } from "./define-route.ts";

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 50;

const NEW_THREAD = object(
  {},
  { id: string, title: string, kind: string, metadata: anyMetadata, messages: list(message) },
);
const CHANGES = object({}, { title: nullable(string), metadata: nullable(anyMetadata) });

export function threadRoutes({ config }: Services, recorder: Recorder): Route[] {
  const { limits } = config;
  const readId = createPathIdReader(recorder);
  return [
    defineRoute("GET", "/v1/threads", LIST, listThreads),
    defineRoute("POST", "/v1/threads", CREATE, async (request, { ledger, scope }) => {
      const { messages, ...thread } = await readBody(request, limits, NEW_THREAD);
      return jsonReply(201, await ledger.createThread({ ...thread, scope }, { messages }));
    }),
    defineRoute("GET", "/v1/threads/:id", SHOW, async (request, caller) =>
      jsonReply(200, await caller.ledger.thread(await readId(request, caller))),
    ),
    defineRoute("PATCH", "/v1/threads/:id", CHANGE, async (request, caller) => {
      const { ledger } = caller;
      const { metadata, ...changes } = await readBody(request, limits, CHANGES);
      const id = await readId(request, caller);
      if (metadata === undefined) return jsonReply(200, await ledger.updateThread(id, changes));
      const newMetadata = preserveTaskSettings(await ledger.thread(id), metadata);
      return jsonReply(200, await ledger.updateThread(id, { ...changes, metadata: newMetadata }));
    }),
    defineRoute("DELETE", "/v1/threads/:id", DELETE, async (request, caller) => {
      const { ledger } = caller;
      const threadId = await readId(request, caller);
      // `purge` ignores unknown threads, but `thread` throws for them, so that the reply is 404.
      await ledger.thread(threadId);
      return jsonReply(200, await ledger.purge({ what: "thread", threadId }));
    }),
  ];
}

async function listThreads(request: ServerRequest, { ledger }: Caller): Promise<ServerReply> {
  const page: ThreadListPage = {
    limit: readQueryCount(request, "limit", MAX_PAGE_SIZE) ?? DEFAULT_PAGE_SIZE,
    before: readQueryText(request, "before"),
    order: readQueryChoice(request, "order", ["id", "activity"]),
    summary: readQueryChoice(request, "summary", ["true", "false"]) === "true",
  };
  const kind = readQueryText(request, "kind");
  if (kind !== undefined) page.kind = kind === "none" ? null : kind;
  const search = readQueryText(request, "search");
  if (search === undefined) return jsonReply(200, await ledger.listThreads(page));
  return jsonReply(200, { ...(await ledger.searchThreads(search, page)), next: null });
}

const LIST = {
  id: "listThreads",
  summary:
    "Lists threads by page, newest or most recently active first; with `search`, those whose title or messages contain the words, best match first.",
  query: {
    limit: countParameter(`Maximum number of results; default ${DEFAULT_PAGE_SIZE}, at most ${MAX_PAGE_SIZE}.`),
    before: textParameter("`next` of the previous page, in the same order."),
    kind: textParameter("Only threads of this kind, such as `task`; `none`: threads without a kind."),
    order: {
      ...textParameter("`activity`: by the last message, start or end of a run, or journal entry. Default: by id."),
      enum: ["id", "activity"],
    },
    summary: {
      ...textParameter("`true`: adds message count, usage, models and a preview to each thread."),
      enum: ["true", "false"],
    },
    search: textParameter(
      "Words in the title or in a message; the last one may be the start of a word. The reply has `hits`, at most three per thread, and `more`, which is true if there are further threads. A last word of one letter is searched in titles only.",
    ),
  },
  replies: { 200: describeReply("A page. `next` is null at the end, and with `search`.", "ThreadList") },
} as const;
const CREATE = {
  id: "createThread",
  summary: "Creates a thread, optionally with messages. An id that exists is a conflict.",
  body: NEW_THREAD,
  replies: { 201: describeReply("The thread.", "Thread") },
} as const;
const SHOW = {
  id: "getThread",
  summary: "A thread.",
  replies: { 200: describeReply("The thread.", "Thread") },
} as const;
const CHANGE = {
  id: "updateThread",
  summary:
    "Changes title and metadata; null removes them. Metadata are replaced as a whole, except the settings of a task (`task`).",
  body: CHANGES,
  replies: { 200: describeReply("The updated thread.", "Thread") },
} as const;
const DELETE = {
  id: "deleteThread",
  summary: "Deletes a thread permanently, with its messages and runs. A live run is a conflict.",
  replies: { 200: describeReply("The number of deleted rows.", "Deleted") },
} as const;
