// Finds the run with whose request the request of a run is compared: the previous call of the thread to the same
// provider.
import type { Ledger, RunInfo } from "../../../ledger/index.ts";
import type { StoredMessage } from "../../../model/index.ts";
import { readRunRequestFields } from "../request-facts.ts";

/** The maximum number of runs, counted from the end of the thread, among which the previous run is searched. */
const MAX_SEARCHED_RUNS = 2000;

/**
 * Returns the previous run to the same provider, if possible to the same model, because caches are separate for each
 * model. Runs on the same branch are preferred. Returns undefined if there is no earlier call to the provider.
 */
export async function findPreviousRun(ledger: Ledger, run: RunInfo): Promise<RunInfo | undefined> {
  const provider = run.metadata?.["provider"];
  if (typeof provider !== "string") return undefined;
  const runs = await ledger.runs(run.threadId, { last: MAX_SEARCHED_RUNS });
  const end = runs.findIndex(({ id }) => id === run.id);
  const earlier = runs
    .slice(0, Math.max(end, 0))
    .filter(({ metadata }) => metadata?.["provider"] === provider && readRunRequestFields(metadata) !== undefined);
  if (earlier.length === 0) return undefined;
  const path = await readPath(ledger, run);
  const positions = new Map(path.map(({ id }, index) => [id, index]));
  const onBranch = earlier.filter(({ forkFromMessageId: id }) => typeof id === "string" && positions.has(id));
  const ofBranch = chooseLatest(onBranch, run);
  if (ofBranch !== undefined) {
    const answered = path.slice((positions.get(ofBranch.forkFromMessageId ?? "") ?? 0) + 1);
    if (!answered.some(isSentByClient)) return ofBranch;
  }
  // The client has sent answers that no run of the thread has produced, so it has changed the history. The branch is
  // then new, and the previous request is the last request of the thread.
  return chooseLatest(earlier, run);
}

async function readPath(
  ledger: Ledger,
  { threadId, forkFromMessageId: branch }: RunInfo,
): Promise<readonly StoredMessage[]> {
  if (typeof branch !== "string") return [];
  return ledger.transcript(threadId, { branch, blobs: "reference" });
}

/** True if the message is an answer that the client sent, and not the answer of a run. */
function isSentByClient({ role, metadata }: StoredMessage): boolean {
  return role === "assistant" && metadata.runId === undefined;
}

/** Returns the latest run to the same model or, if there is none, the latest run. */
function chooseLatest(runs: readonly RunInfo[], { metadata }: RunInfo): RunInfo | undefined {
  return runs.findLast((each) => each.metadata?.["model"] === metadata?.["model"]) ?? runs.at(-1);
}
