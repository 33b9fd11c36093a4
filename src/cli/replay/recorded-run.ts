// Reads a recorded run from the ledger: its request and its outcome.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { Loss, Message, ModelRequest } from "../../model/index.ts";
import { readRunMessages, toStoredResponse } from "../../server/record/stored-answer.ts";
import { readStoredRequest } from "../../server/record/stored-request.ts";
import { CliError } from "../exit.ts";
import type { ReplayOutcome } from "./call-outcome.ts";

export interface RecordedRun {
  run: RunInfo;
  request: ModelRequest;
  /** The `provider/model` of the answer or of the request; undefined if it was not recorded. */
  model: string | undefined;
  outcome: ReplayOutcome;
  /** The dialect of the client that made the request. */
  dialect: string | undefined;
  /** True if the request's tools and settings were recorded; runs of agents have only messages. */
  hasSettings: boolean;
}

export async function readRecordedRun(ledger: Ledger, runId: string): Promise<RecordedRun> {
  const run = await ledger.run(runId);
  if (run.state === "created" || run.state === "streaming") {
    throw new CliError("record", `Run ${runId} has not ended yet; replay it after its end.`);
  }
  const runMessages = await readRunMessages(ledger, run);
  const answer = runMessages.findLast(({ role }) => role === "assistant");
  const runMetadata = readRunMetadata(run);
  const answerMetadata = answer?.metadata;
  const provider = runMetadata.provider ?? readText(answerMetadata?.provider);
  const model = runMetadata.model ?? readText(answerMetadata?.model);
  const storedRequest = await readStoredRequest(ledger, run);
  const outcome: ReplayOutcome = {
    ...(answer !== undefined && { response: toStoredResponse(answer, run) }),
    ...(run.error !== undefined && { error: run.error }),
    losses: runMetadata.losses,
    ...(run.usage !== undefined && { usage: run.usage }),
  };
  return {
    run,
    request: storedRequest ?? { messages: await readHistory(ledger, run, runMessages[0]) },
    model: provider !== undefined && model !== undefined ? `${provider}/${model}` : model,
    outcome,
    dialect: readText(run.metadata?.["dialect"]),
    hasSettings: storedRequest !== undefined,
  };
}

/**
 * Returns the history of a run without a recorded request: the path to the parent of the run's first message or, if the
 * run has no messages, to its fork point. Without a fork point, returns the active path.
 */
async function readHistory(
  ledger: Ledger,
  { threadId, forkFromMessageId }: RunInfo,
  first: { parentMessageId: string | null } | undefined,
): Promise<Message[]> {
  const branch = first === undefined ? forkFromMessageId : first.parentMessageId;
  if (branch === null) return [];
  return branch === undefined ? ledger.context(threadId) : ledger.transcript(threadId, { branch });
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readRunMetadata({ metadata = {} }: RunInfo): { provider?: string; model?: string; losses: Loss[] } {
  const [provider, model] = [readText(metadata["provider"]), readText(metadata["model"])];
  const { losses } = metadata;
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    // The cast is safe, because only the server's recorder writes this field, and it writes Loss objects.
    losses: Array.isArray(losses) ? (losses as Loss[]) : [],
  };
}
