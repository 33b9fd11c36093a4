// Takes up the stream of a chat again: all of the message that is being written, from its first chunk on, from whichever
// instance writes it.
import type { Ledger, RunInfo, RunsPage } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import { clientId, deltasOf, earlierSteps } from "./turn.ts";
import { UiMessageWriter } from "./ui-stream.ts";

/** The run of a chat that is being written; undefined where nothing is, or there is no such chat. */
export async function liveRun(ledger: Ledger, chatId: string): Promise<RunInfo | undefined> {
  return (await runsOf(ledger, chatId, { live: true })).at(-1);
}

/** Runs of a chat; none where there is no such chat yet: a page asks before its first message is sent. */
export async function runsOf(ledger: Ledger, chatId: string, page: RunsPage): Promise<RunInfo[]> {
  try {
    return await ledger.runs(chatId, page);
  } catch (error) {
    if (error instanceof LedgerError && error.code === "unknown-thread") return [];
    throw error;
  }
}

export async function* resumedEvents(
  ledger: Ledger,
  run: RunInfo,
  signal: AbortSignal,
): AsyncIterable<readonly JsonEvent[]> {
  const { id: runId, threadId } = run;
  const steps = await earlierSteps(ledger, run);
  const [first] = steps;
  const writer = new UiMessageWriter(first === undefined ? runId : clientId(first));
  if (first !== undefined) yield writer.write(deltasOf(steps));
  for await (const event of ledger.follow({ threadId, runId, signal })) {
    if (event.type === "delta") yield writer.write([event.delta]);
  }
  if (!signal.aborted) yield writer.end();
}
