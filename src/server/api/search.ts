// Defines the route of the full-text search over the messages of the tenant.
import { list, object, reference } from "../../model/validation/shape.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import type { Route } from "../types.ts";
import { readQueryCount, readQueryText } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter, countParameter } from "./define-route.ts";

const MAX_HITS = 200;
const HITS = object({ hits: list(reference("SearchHit")) }, {});

export function searchRoutes(recorder: Recorder): Route[] {
  return [
    defineRoute("GET", "/v1/search", SEARCH, async (request, caller) => {
      const { ledger } = caller;
      const query = readQueryText(request, "q");
      if (query === undefined) {
        throw new ServerError("invalid-request", "The query is missing: add ?q=some+words", { path: "q" });
      }
      const threadId = readQueryText(request, "thread");
      if (threadId !== undefined) {
        await recorder.writePendingRuns(caller, threadId);
        await ledger.thread(threadId);
      }
      const hits = await ledger.search(query, { threadId, limit: readQueryCount(request, "limit", MAX_HITS) });
      return jsonReply(200, { hits });
    }),
  ];
}

const SEARCH = {
  id: "search",
  summary: "Messages that contain all words of the query, best match first.",
  query: {
    q: textParameter("The words to search for. Required."),
    thread: textParameter("Only in this thread."),
    limit: countParameter(`Maximum number of results; default 20, at most ${MAX_HITS}.`),
  },
  replies: { 200: describeReply("The matching messages.", HITS) },
} as const;
