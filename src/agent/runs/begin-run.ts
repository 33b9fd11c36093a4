// Begins a run: appends results for open tool calls, and appends the caller's input once.
import type { Message, StoredMessage } from "../../model/index.ts";
import { AgentError } from "../errors.ts";
import { errorResult } from "../tools/tool-results.ts";
import { isKeyConflict, isLeafConflict } from "./exclusive-run.ts";
import { findNextAction, isPaused, type NextAction } from "./next-action.ts";
import type { RunProgress } from "./progress.ts";
import { findClientCalls, wasStopped } from "./recorded-answer.ts";
import type { TakeOverOptions } from "./resume.ts";
import { publishMessages, type RunContext } from "./run-context.ts";

export interface RunStart extends TakeOverOptions {
  /** The messages to append before the first step. If undefined, the run continues the thread without new messages. */
  input?: readonly Message[];
  idempotencyKey?: string | undefined;
}

/**
 * Appends error results for the open tool calls at the end of an imported thread. It is unknown whether these tools
 * ran, and a model accepts no further message while its calls have no results.
 */
export async function answerOpenCalls(context: RunContext): Promise<void> {
  for (;;) {
    const { leafId, messages } = await context.history.load();
    const last = messages.at(-1);
    const calls = last?.role === "assistant" ? findClientCalls(last) : [];
    if (calls.length === 0) return;
    const parts = calls.map((call) =>
      errorResult(call, "No result of this call is recorded. Whether the tool ran is unknown; it was not run now."),
    );
    try {
      publishMessages(
        context,
        await context.ledger.append(context.threadId, [{ role: "tool", parts }], { expectedLeaf: leafId }),
      );
      return;
    } catch (error) {
      if (!isLeafConflict(error)) throw error;
      context.history.forget();
    }
  }
}

/**
 * Appends the input and returns the next action. If an earlier call with the same idempotency key appended the input
 * and other messages already follow it in the thread, the next action is derived from those messages.
 */
export async function appendInput(
  context: RunContext,
  input: readonly Message[],
  idempotencyKey: string | undefined,
  progress: RunProgress,
): Promise<NextAction> {
  const appended = await context.ledger.append(context.threadId, input, { idempotencyKey }).catch((error: unknown) => {
    throw isKeyConflict(error) ? keyReusedError(context.threadId, error) : error;
  });
  if (idempotencyKey !== undefined) {
    context.history.forget();
    const { leafId } = await context.history.load();
    if (leafId !== appended.at(-1)?.id) return findActionAfter(context, appended, progress);
  }
  publishMessages(context, appended);
  return "ask";
}

function keyReusedError(threadId: string, cause: unknown): AgentError {
  const message = `The idempotency key was used for other messages in thread ${threadId}: use another key.`;
  return new AgentError("conflict", message, { path: "/idempotencyKey", cause });
}

/**
 * Returns the next action for a thread in which other messages already follow the appended input. If a complete turn of
 * the model follows it, this turn is the answer to the input. Otherwise the action is derived from the whole history.
 */
async function findActionAfter(
  context: RunContext,
  appended: readonly StoredMessage[],
  progress: RunProgress,
): Promise<NextAction> {
  const path = await context.ledger.transcript(context.threadId);
  const index = path.findIndex(({ id }) => id === appended.at(-1)?.id);
  if (index === -1) {
    const advice = "select() that branch in the ledger to continue it, or use another key";
    const message = `The messages of this idempotency key are not on the active branch of thread ${context.threadId}: ${advice}.`;
    throw new AgentError("conflict", message, { path: "/idempotencyKey" });
  }
  const since = path.slice(index + 1).filter(({ metadata }) => metadata.interrupted !== true);
  const end = since.findIndex(endsTurn);
  if (end === -1) return findNextAction((await context.history.load()).messages);
  const turn = since.slice(0, end + 1);
  progress.useEarlierAnswer(turn);
  return findNextAction(turn);
}

/**
 * True if a message ends the model's turn: it is an answer without tool calls to run, or a filter, a refusal or an
 * error stopped it.
 */
function endsTurn(message: StoredMessage): boolean {
  if (message.role !== "assistant" || isPaused(message)) return false;
  return wasStopped(message) || findClientCalls(message).length === 0;
}
