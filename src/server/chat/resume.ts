// Resumes the stream of a chat: the live message from its first chunk, whichever instance writes it.
import type { Ledger, RunInfo, RunsPage } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { toClientId, toDeltas, readEarlierSteps } from "./client-messages.ts";
import { UiMessageWriter } from "./ui-stream.ts";

/** Returns the live run of a chat; undefined if there is none or the chat does not exist. */
export async function findLiveRun(ledger: Ledger, chatId: string): Promise<RunInfo | undefined> {
  return (await listChatRuns(ledger, chatId, { live: true })).at(-1);
}

/** Lists the runs of a chat; none if the chat does not exist yet, because a page resumes before its first message. */
export async function listChatRuns(ledger: Ledger, chatId: string, page: RunsPage): Promise<RunInfo[]> {
  try {
    return await ledger.runs(chatId, page);
  } catch (error) {
    if (error instanceof LedgerError && error.code === "unknown-thread") return [];
    throw error;
  }
}

export async function* toResumedEvents(
  ledger: Ledger,
  run: RunInfo,
  signal: AbortSignal,
): AsyncIterable<readonly JsonEvent[]> {
  const { id: runId, threadId } = run;
  const steps = await readEarlierSteps(ledger, run);
  const [first] = steps;
  const writer = new UiMessageWriter(first === undefined ? runId : toClientId(first));
  if (first !== undefined) yield writer.write(toDeltas(steps));
  for await (const event of ledger.follow({ threadId, runId, signal })) {
    if (event.type === "delta") yield writer.write([event.delta]);
  }
  if (!signal.aborted) yield writer.end();
}
