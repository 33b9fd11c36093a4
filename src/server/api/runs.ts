// Runs over HTTP: what was asked of whom, what it cost, and what did not arrive.
import type { RunInfo, RunsPage } from "../../ledger/index.ts";
import { object, reference, string } from "../../model/shape.ts";
import { ServerError } from "../errors.ts";
import { requestOf } from "../record/stored-request.ts";
import type { Recorder } from "../record/types.ts";
import type { Route } from "../types.ts";
import { namedId } from "./named.ts";
import { queryCount, queryWord } from "./reading.ts";
import { jsonReply, route, says, text, whole } from "./replies.ts";

const MOST = 10_000;

export function runRoutes(recorder: Recorder): Route[] {
  const named = namedId(recorder);
  return [
    route("GET", "/v1/threads/:id/runs", LIST, async (request, caller) => {
      const { ledger } = caller;
      const page: RunsPage = { last: queryCount(request, "last", MOST) };
      if (queryWord(request, "live", ["true", "false"]) === "true") page.live = true;
      const threadId = await named(request, caller);
      return jsonReply(200, { runs: (await ledger.runs(threadId, page)).map(shownRun) });
    }),
    route("GET", "/v1/runs/:id", SHOW, async (request, caller) => {
      return jsonReply(200, shownRun(await caller.ledger.run(await named(request, caller))));
    }),
    route("GET", "/v1/runs/:id/request", REQUEST, async (request, caller) => {
      const { ledger } = caller;
      const run = await ledger.run(await named(request, caller));
      const asked = await requestOf(ledger, run);
      if (asked === undefined) {
        const message = `Run ${run.id} is no recorded call: there is no request that it answers.`;
        throw new ServerError("not-found", message, { path: "id" });
      }
      return jsonReply(200, { request: asked, ...toldOf(run) });
    }),
  ];
}

/** What the recorder noted of a call stands beside the run's own facts; runs that are no calls have empty lists. */
export function shownRun({ metadata = {}, ...run }: RunInfo): object {
  const { losses = [], attempts = [], ...rest } = metadata;
  return { ...run, losses, attempts, metadata: rest };
}

/** Who asked whom, as far as the record says it. */
function toldOf({ metadata = {} }: RunInfo): Partial<Record<"dialect" | "provider" | "model", string>> {
  const told: ReturnType<typeof toldOf> = {};
  for (const name of ["dialect", "provider", "model"] as const) {
    const value = metadata[name];
    if (typeof value === "string") told[name] = value;
  }
  return told;
}

const LIST = {
  id: "listRuns",
  summary: "The runs of a thread, oldest first.",
  query: {
    live: { ...text("`true`: only those that are created or streaming."), enum: ["true", "false"] },
    last: whole("The last so many."),
  },
  replies: { 200: says("The runs.", "RunList") },
} as const;
const SHOW = {
  id: "getRun",
  summary: "A run: its state, usage, losses, attempts, and who was asked what (`metadata`).",
  replies: { 200: says("The run.", "Run") },
} as const;
const REQUEST = {
  id: "getRunRequest",
  summary:
    "What a recorded call asked, with its whole history, in the model's own words. 404 where the run is no call.",
  replies: {
    200: says(
      "The request, the dialect that it came in, and who was asked.",
      object({ request: reference("Request") }, { dialect: string, provider: string, model: string }),
    ),
  },
} as const;
