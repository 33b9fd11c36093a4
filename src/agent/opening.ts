// How a run begins: with calls that nobody answered, and with what its caller says, once.
import type { Message, StoredMessage } from "../model/index.ts";
import { isKeyConflict, isLeafConflict } from "./busy.ts";
import { AgentError } from "./errors.ts";
import type { Progress } from "./progress.ts";
import { clientCalls, wasStopped } from "./record.ts";
import { errorResult } from "./results.ts";
import type { TakeOver } from "./resume.ts";
import { isPaused, type Standing, standingOf } from "./standing.ts";
import { announce, type RunContext } from "./work.ts";

export interface Opening extends TakeOver {
  /** What is said first; without it the thread is gone on with. */
  input?: readonly Message[];
  idempotencyKey?: string | undefined;
}

/**
 * Gives results to the calls that a thread ends with, where it came from elsewhere: whether they ran there is not known,
 * and nothing may be said to a model whose calls are open.
 */
export async function answerOpenCalls(work: RunContext): Promise<void> {
  for (;;) {
    const { leafId, messages } = await work.history.load();
    const last = messages.at(-1);
    const calls = last?.role === "assistant" ? clientCalls(last) : [];
    if (calls.length === 0) return;
    const parts = calls.map((call) =>
      errorResult(call, "No result of this call is recorded. Whether the tool ran is not known; it was not run now."),
    );
    try {
      announce(work, await work.ledger.append(work.threadId, [{ role: "tool", parts }], { expectedLeaf: leafId }));
      return;
    } catch (error) {
      if (!isLeafConflict(error)) throw error;
      work.history.forget();
    }
  }
}

/** Says what the run is to begin with, or finds what came of it where its key says that it was said before. */
export async function sayInput(
  work: RunContext,
  input: readonly Message[],
  idempotencyKey: string | undefined,
  progress: Progress,
): Promise<Standing> {
  const said = await work.ledger.append(work.threadId, input, { idempotencyKey }).catch((error: unknown) => {
    throw isKeyConflict(error) ? usedKey(work.threadId, error) : error;
  });
  if (idempotencyKey !== undefined) {
    work.history.forget();
    const { leafId } = await work.history.load();
    if (leafId !== said.at(-1)?.id) return standingSince(work, said, progress);
  }
  announce(work, said);
  return "ask";
}

function usedKey(threadId: string, cause: unknown): AgentError {
  const message = `Something else was said with this key in thread ${threadId}: say this with another key.`;
  return new AgentError("conflict", message, { path: "/idempotencyKey", cause });
}

/** Where the thread stands that has gone on after these messages: their answer is the one that follows them. */
async function standingSince(work: RunContext, said: readonly StoredMessage[], progress: Progress): Promise<Standing> {
  const path = await work.ledger.transcript(work.threadId);
  const at = path.findIndex(({ id }) => id === said.at(-1)?.id);
  if (at === -1) {
    const advice = "select() that branch in the ledger to go on with it, or say this with another key";
    const message = `What was said with this key is not on the active branch of thread ${work.threadId}: ${advice}.`;
    throw new AgentError("conflict", message, { path: "/idempotencyKey" });
  }
  const since = path.slice(at + 1).filter(({ metadata }) => metadata.interrupted !== true);
  const end = since.findIndex(isAnswer);
  if (end === -1) return standingOf((await work.history.load()).messages);
  const turn = since.slice(0, end + 1);
  progress.lookBack(turn);
  return standingOf(turn);
}

/** Whether a message ends a turn of the model. */
function isAnswer(message: StoredMessage): boolean {
  if (message.role !== "assistant" || isPaused(message)) return false;
  return wasStopped(message) || clientCalls(message).length === 0;
}
