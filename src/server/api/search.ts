// Full-text search over the messages of the tenant.
import { list, object, reference } from "../../model/shape.ts";
import { ServerError } from "../errors.ts";
import type { Recorder } from "../record/types.ts";
import type { Route } from "../types.ts";
import { queryCount, queryText } from "./reading.ts";
import { jsonReply, route, says, text, whole } from "./replies.ts";

const MOST = 200;
const HITS = object({ hits: list(reference("SearchHit")) }, {});

export function searchRoutes(recorder: Recorder): Route[] {
  return [
    route("GET", "/v1/search", SEARCH, async (request, caller) => {
      const { ledger } = caller;
      const query = queryText(request, "q");
      if (query === undefined) {
        throw new ServerError("invalid-request", "Say what to look for: ?q=some+words", { path: "q" });
      }
      const threadId = queryText(request, "thread");
      if (threadId !== undefined) {
        await recorder.reveal(caller, threadId);
        await ledger.thread(threadId);
      }
      const hits = await ledger.search(query, { threadId, limit: queryCount(request, "limit", MOST) });
      return jsonReply(200, { hits });
    }),
  ];
}

const SEARCH = {
  id: "search",
  summary: "Messages that hold all words of the query, best first.",
  query: {
    q: text("The words. Required."),
    thread: text("Only in this thread."),
    limit: whole(`At most so many; default 20, at most ${MOST}.`),
  },
  replies: { 200: says("What was found.", HITS) },
} as const;
