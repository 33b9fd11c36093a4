// Implements the loop of an agent's run: takes steps until the model has finished and no message is queued, or until a
// limit, a callback or the caller ends the run.
import type { Message } from "../../model/index.ts";
import { unlessAborted, yieldToEventLoop } from "../concurrency.ts";
import { AgentError } from "../errors.ts";
import { describeThrown } from "../tools/tool-results.ts";
import type { AgentResult, EndReason, QueuedMessage } from "../types.ts";
import { answerOpenCalls, appendInput, type RunStart } from "./begin-run.ts";
import { isBusy, ThreadAdvancedError, toRunError } from "./exclusive-run.ts";
import { findNextAction, type NextAction } from "./next-action.ts";
import { RunProgress } from "./progress.ts";
import { finishUnfinishedSteps, sleepOrCancel, type TakeOverOptions } from "./resume.ts";
import { publishMessages, type RunContext } from "./run-context.ts";
import { type Step, takeStep } from "./step.ts";

export async function runLoop(context: RunContext, start: RunStart): Promise<AgentResult> {
  const input: PendingInput = { messages: start.input, isAppended: false };
  try {
    return await runSteps(context, start, input);
  } catch (error) {
    throw toRunError(error, context.threadId, input.isAppended);
  }
}

/** The input of the run. `messages` is the input that is still to be appended; undefined if there is none. */
interface PendingInput {
  messages: readonly Message[] | undefined;
  isAppended: boolean;
}

async function runSteps(context: RunContext, start: RunStart, input: PendingInput): Promise<AgentResult> {
  const progress = new RunProgress(context);
  let action = await prepareThread(context, start, progress, input.messages !== undefined);
  for (;;) {
    // A paused answer is continued before the input is appended.
    if (input.messages !== undefined && action !== "paused") {
      const canCall = !context.signal.aborted && progress.modelCalls < context.settings.maxSteps;
      action = canCall ? await appendInput(context, input.messages, start.idempotencyKey, progress) : "ask";
      if (canCall) {
        input.messages = undefined;
        input.isAppended = true;
      }
    }
    const reason = await decideEnd(context, action, progress);
    if (reason !== undefined) return progress.result(reason, input.messages);
    // Once the input is in the thread, another writer may be answering it. The run then waits for that writer instead
    // of throwing "busy", unless the run itself has already called the model.
    const options = { force: start.force, wait: start.wait || (input.isAppended && progress.modelCalls === 0) };
    const step = await tryStep(context, options, progress);
    if (step === undefined) {
      action = await prepareThread(context, options, progress, input.messages !== undefined);
      continue;
    }
    progress.modelCalls++;
    progress.add(step);
    action = await findActionAfterStep(context, step);
  }
}

/**
 * Finishes the steps that earlier runs left unfinished and returns the next action. If the run was cancelled, returns
 * "ask", and `decideEnd` then ends the run.
 */
async function prepareThread(
  context: RunContext,
  options: TakeOverOptions,
  progress: RunProgress,
  hasInput: boolean,
): Promise<NextAction> {
  for (const step of await finishUnfinishedSteps(context, options, progress.steps.length)) progress.add(step);
  if (context.signal.aborted) return "ask";
  context.history.forget();
  await answerOpenCalls(context);
  const { messages } = await context.history.load();
  const action = findNextAction(messages);
  if (action === "paused" || (action !== "ask" && !hasInput)) progress.useEarlierAnswer(messages);
  return action;
}

/**
 * Takes the next step. Returns undefined if another writer has answered, or if the thread was busy and the run may
 * wait; the thread must then be read again.
 */
async function tryStep(
  context: RunContext,
  options: TakeOverOptions,
  progress: RunProgress,
): Promise<Step | undefined> {
  try {
    return await takeStep(context, progress.steps.length);
  } catch (error) {
    if (error instanceof ThreadAdvancedError) return undefined;
    if (!options.wait || progress.modelCalls > 0 || !isBusy(error)) throw error;
    await sleepOrCancel(context);
    return undefined;
  }
}

async function findActionAfterStep({ history }: RunContext, { info, answer }: Step): Promise<NextAction> {
  // A step without info was cancelled. `decideEnd`, which is called next, ends the run for any action.
  if (info === undefined) return "ask";
  // A further call after an empty answer would send the same request again.
  if (answer === undefined) return "cut-off";
  return findNextAction((await history.load()).messages);
}

/** Returns the reason if the run ends before its next step. Otherwise appends queued messages and returns undefined. */
async function decideEnd(
  context: RunContext,
  action: NextAction,
  progress: RunProgress,
): Promise<EndReason | undefined> {
  const { queue, signal, settings } = context;
  const isAnswered = action === "done" || action === "cut-off";
  const isLast = progress.modelCalls >= settings.maxSteps;
  // The event loop gets a turn, so that readers of the events can queue a message after the answer that they just
  // received.
  if (isLast || (isAnswered && queue.waiting.length === 0)) await yieldToEventLoop();
  if (signal.aborted) return closeQueue(context, "cancelled");
  if (isAnswered && queue.waiting.length === 0) return closeQueue(context, action);
  if (isLast) return closeQueue(context, "max-steps");
  if (await isStopRequested(context, progress)) return closeQueue(context, "stopped");
  if (signal.aborted) return closeQueue(context, "cancelled");
  if (action !== "paused") await appendQueued(context, isAnswered ? queue.takeAfterAnswer() : queue.takeSteer());
  return undefined;
}

/**
 * Closes the queue when the end of the run is decided: queuing a later message throws, and the result of the run
 * contains the messages that are still queued.
 */
function closeQueue({ queue }: RunContext, reason: EndReason): EndReason {
  queue.close();
  return reason;
}

async function isStopRequested(
  { settings: { stopWhen }, signal }: RunContext,
  { steps }: RunProgress,
): Promise<boolean> {
  const last = steps.at(-1);
  if (last === undefined || stopWhen === undefined) return false;
  try {
    return (await unlessAborted(signal, () => stopWhen(last)))?.value === true;
  } catch (error) {
    const message = `\`stopWhen\` threw, so the run cannot continue: ${describeThrown(error)}`;
    throw new AgentError("callback-failed", message, { path: "/stopWhen", cause: error });
  }
}

async function appendQueued(context: RunContext, queued: readonly QueuedMessage[]): Promise<void> {
  if (queued.length === 0) return;
  try {
    const { ledger, threadId, settings } = context;
    const messages: Message[] = context.queue.readMessages(queued);
    const stored = await (settings.append?.(threadId, messages) ?? ledger.append(threadId, messages));
    for (const each of queued) context.emit({ type: "unqueued", queued: each, delivered: true });
    publishMessages(context, stored);
  } catch (error) {
    context.queue.putBack(queued);
    throw error;
  }
}
