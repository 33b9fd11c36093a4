// Runs over HTTP: what was asked of whom, what it cost, and what did not arrive.
import type { RunInfo } from "../../ledger/index.ts";
import type { Recorder } from "../record/types.ts";
import type { Route } from "../types.ts";
import { namedId } from "./named.ts";
import { jsonReply, route, says } from "./replies.ts";

export function runRoutes(recorder: Recorder): Route[] {
  const named = namedId(recorder);
  return [
    route("GET", "/v1/threads/:id/runs", LIST, async (request, caller) => {
      const { ledger } = caller;
      const threadId = await named(request, caller);
      return jsonReply(200, { runs: (await ledger.runs(threadId)).map(shownRun) });
    }),
    route("GET", "/v1/runs/:id", SHOW, async (request, caller) => {
      return jsonReply(200, shownRun(await caller.ledger.run(await named(request, caller))));
    }),
  ];
}

/** What the recorder noted of a call stands beside the run's own facts; runs that are no calls have empty lists. */
export function shownRun({ metadata = {}, ...run }: RunInfo): object {
  const { losses = [], attempts = [], ...rest } = metadata;
  return { ...run, losses, attempts, metadata: rest };
}

const LIST = {
  id: "listRuns",
  summary: "The runs of a thread, oldest first.",
  replies: { 200: says("The runs.", "RunList") },
} as const;
const SHOW = {
  id: "getRun",
  summary: "A run: its state, usage, losses, attempts, and who was asked what (`metadata`).",
  replies: { 200: says("The run.", "Run") },
} as const;
