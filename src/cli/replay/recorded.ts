// A run as the ledger has it: what was asked, and what came of it.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { Loss, Message, ModelRequest } from "../../model/index.ts";
import { readRunMessages, toStoredResponse } from "../../server/record/stored-answer.ts";
import { readStoredRequest } from "../../server/record/stored-request.ts";
import { CliError } from "../exit.ts";
import type { Outcome } from "./outcome.ts";

export interface Recorded {
  run: RunInfo;
  request: ModelRequest;
  /** `provider/model` that answered, or was asked; undefined where the run does not say. */
  model: string | undefined;
  outcome: Outcome;
  /** What the client spoke that asked. */
  dialect: string | undefined;
  /** Whether the run says its tools and settings; runs of agents have only their messages. */
  hasSettings: boolean;
}

export async function readRecorded(ledger: Ledger, runId: string): Promise<Recorded> {
  const run = await ledger.run(runId);
  if (run.state === "created" || run.state === "streaming") {
    throw new CliError("record", `Run ${runId} has not ended yet; replay it when it has.`);
  }
  const left = await readRunMessages(ledger, run);
  const answer = left.findLast(({ role }) => role === "assistant");
  const facts = factsOf(run);
  const said = answer?.metadata;
  const provider = facts.provider ?? textIn(said?.provider);
  const model = facts.model ?? textIn(said?.model);
  const recorded = await readStoredRequest(ledger, run);
  const outcome: Outcome = {
    ...(answer !== undefined && { response: toStoredResponse(answer, run) }),
    ...(run.error !== undefined && { error: run.error }),
    losses: facts.losses,
    ...(run.usage !== undefined && { usage: run.usage }),
  };
  return {
    run,
    request: recorded ?? { messages: await historyOf(ledger, run, left[0]) },
    model: provider !== undefined && model !== undefined ? `${provider}/${model}` : model,
    outcome,
    dialect: textIn(run.metadata?.["dialect"]),
    hasSettings: recorded !== undefined,
  };
}

/** The path that a run without recorded settings answered: what stands above its first message. */
async function historyOf(
  ledger: Ledger,
  { threadId, forkFromMessageId }: RunInfo,
  first: { parentMessageId: string | null } | undefined,
): Promise<Message[]> {
  const branch = first === undefined ? forkFromMessageId : first.parentMessageId;
  if (branch === null) return [];
  return branch === undefined ? ledger.context(threadId) : ledger.transcript(threadId, { branch });
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function factsOf({ metadata = {} }: RunInfo): { provider?: string; model?: string; losses: Loss[] } {
  const [provider, model] = [textIn(metadata["provider"]), textIn(metadata["model"])];
  const { losses } = metadata;
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    // As the recorder wrote them.
    losses: Array.isArray(losses) ? (losses as Loss[]) : [],
  };
}
