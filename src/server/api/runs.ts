// Defines the routes that read runs: their state, usage, attempts and losses, the recorded request, and the use of
// the prompt cache.
import type { RunInfo, RunsPage } from "../../ledger/index.ts";
import { object, reference, string } from "../../model/validation/shape.ts";
import { ServerError } from "../errors.ts";
import { createCacheReport } from "../record/prompt-cache/cache-report.ts";
import { readStoredRequest } from "../record/stored-request.ts";
import type { Recorder } from "../record/types.ts";
import type { Route, Services } from "../types.ts";
import { createPathIdReader } from "./path-id.ts";
import { readQueryCount, readQueryChoice } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter, countParameter } from "./define-route.ts";

const MAX_RUNS = 10_000;

export function runRoutes({ clientContext }: Services, recorder: Recorder): Route[] {
  const readId = createPathIdReader(recorder);
  return [
    defineRoute("GET", "/v1/threads/:id/runs", LIST, async (request, caller) => {
      const { ledger } = caller;
      const page: RunsPage = { last: readQueryCount(request, "last", MAX_RUNS) };
      if (readQueryChoice(request, "live", ["true", "false"]) === "true") page.live = true;
      const threadId = await readId(request, caller);
      return jsonReply(200, { runs: (await ledger.runs(threadId, page)).map(toRunView) });
    }),
    defineRoute("GET", "/v1/runs/:id", SHOW, async (request, caller) => {
      const { ledger } = caller;
      const hasCache = readQueryChoice(request, "cache", ["true", "false"]) === "true";
      const run = await ledger.run(await readId(request, caller));
      const cache = hasCache ? { cache: await createCacheReport(ledger, clientContext.adapters, run) } : {};
      return jsonReply(200, { ...toRunView(run), ...cache });
    }),
    defineRoute("GET", "/v1/runs/:id/request", REQUEST, async (request, caller) => {
      const { ledger } = caller;
      const run = await ledger.run(await readId(request, caller));
      const modelRequest = await readStoredRequest(ledger, run);
      if (modelRequest === undefined) {
        const message = `Run ${run.id} is not a recorded call, so it has no request.`;
        throw new ServerError("not-found", message, { path: "id" });
      }
      return jsonReply(200, { request: modelRequest, ...readCallTarget(run) });
    }),
  ];
}

/**
 * Returns the run for a reply, with losses and attempts moved from the metadata to fields of the run. Both lists are
 * empty if the run is not a recorded call.
 */
export function toRunView({ metadata = {}, ...run }: RunInfo): object {
  const { losses = [], attempts = [], ...rest } = metadata;
  return { ...run, losses, attempts, metadata: rest };
}

/** Returns the dialect, provider and model of a recorded call, each only if the metadata of the run contains it. */
function readCallTarget({ metadata = {} }: RunInfo): Partial<Record<"dialect" | "provider" | "model", string>> {
  const callTarget: ReturnType<typeof readCallTarget> = {};
  for (const name of ["dialect", "provider", "model"] as const) {
    const value = metadata[name];
    if (typeof value === "string") callTarget[name] = value;
  }
  return callTarget;
}

const LIST = {
  id: "listRuns",
  summary: "The runs of a thread, oldest first.",
  query: {
    live: { ...textParameter("`true`: only runs in the state created or streaming."), enum: ["true", "false"] },
    last: countParameter("Maximum number of runs, counted from the end."),
  },
  replies: { 200: describeReply("The runs.", "RunList") },
} as const;
const SHOW = {
  id: "getRun",
  summary: "A run: its state, usage, losses, attempts, and the target and request in `metadata`.",
  query: {
    cache: {
      ...textParameter(
        "`true`: with `cache`, the use of the prompt cache and the first difference from the previous request.",
      ),
      enum: ["true", "false"],
    },
  },
  replies: { 200: describeReply("The run.", "Run") },
} as const;
const REQUEST = {
  id: "getRunRequest",
  summary: "The canonical request of a recorded call, with its whole history. 404 if the run is not a call.",
  replies: {
    200: describeReply(
      "The request, the client's dialect, and the target.",
      object({ request: reference("Request") }, { dialect: string, provider: string, model: string }),
    ),
  },
} as const;
