// Resumes the stream of a chat: sends the message that is being written from its first chunk, even if another process
// writes the run.
import type { Ledger, RunInfo, RunsPage } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { toClientId, toDeltas, readEarlierSteps } from "./client-messages.ts";
import { UiMessageWriter } from "./ui-stream.ts";

/** Returns the live run of a chat; undefined if the chat has no live run or does not exist. */
export async function findLiveRun(ledger: Ledger, chatId: string): Promise<RunInfo | undefined> {
  return (await listChatRuns(ledger, chatId, { live: true })).at(-1);
}

/**
 * Lists the runs of a chat. Returns an empty list instead of throwing if the chat does not exist, because a page tries
 * to resume a chat before its first message is sent.
 */
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
