// The loop: step after step until the model has said all and nothing waits, or something ends it earlier.
import type { Message } from "../model/index.ts";
import { endingOf, isBusy, ThreadAdvancedError } from "./busy.ts";
import { AgentError } from "./errors.ts";
import { answerOpenCalls, type Opening, sayInput } from "./opening.ts";
import { Progress } from "./progress.ts";
import { messageOf } from "./results.ts";
import { finishSteps, sleep, type TakeOver } from "./resume.ts";
import { type Standing, standingOf } from "./standing.ts";
import { type Step, takeStep } from "./step.ts";
import type { AgentResult, EndReason, QueuedMessage } from "./types.ts";
import { letOthersRun, unlessAborted } from "./waiting.ts";
import { announce, type RunContext } from "./work.ts";

export async function runLoop(work: RunContext, opening: Opening): Promise<AgentResult> {
  const words: Words = { unsaid: opening.input, isSaid: false };
  try {
    return await takeSteps(work, opening, words);
  } catch (error) {
    throw endingOf(error, work.threadId, words.isSaid);
  }
}

/** What the run is to begin with. */
interface Words {
  unsaid: readonly Message[] | undefined;
  isSaid: boolean;
}

async function takeSteps(work: RunContext, opening: Opening, words: Words): Promise<AgentResult> {
  const progress = new Progress(work);
  let standing = await open(work, opening, progress, words.unsaid !== undefined);
  for (;;) {
    // An answer that paused goes on before anything is said.
    if (words.unsaid !== undefined && standing !== "paused") {
      const mayAsk = !work.signal.aborted && progress.asked < work.settings.maxSteps;
      standing = mayAsk ? await sayInput(work, words.unsaid, opening.idempotencyKey, progress) : "ask";
      if (mayAsk) Object.assign(words, { unsaid: undefined, isSaid: true });
    }
    const reason = await goOn(work, standing, progress);
    if (reason !== undefined) return progress.result(reason, words.unsaid);
    // What was said cannot be taken back: whoever is at work may answer it, so that is waited for.
    const how = { force: opening.force, wait: opening.wait || (words.isSaid && progress.asked === 0) };
    const step = await ask(work, how, progress);
    if (step === undefined) {
      standing = await open(work, how, progress, words.unsaid !== undefined);
      continue;
    }
    progress.asked++;
    progress.add(step);
    standing = await standingAfter(work, step);
  }
}

/** Finishes what was left behind. */
async function open(work: RunContext, how: TakeOver, progress: Progress, hasInput: boolean): Promise<Standing> {
  for (const step of await finishSteps(work, how, progress.steps.length)) progress.add(step);
  if (work.signal.aborted) return "ask";
  work.history.forget();
  await answerOpenCalls(work);
  const { messages } = await work.history.load();
  const standing = standingOf(messages);
  if (standing === "paused" || (standing !== "ask" && !hasInput)) progress.lookBack(messages);
  return standing;
}

/** The next step; undefined where somebody else was faster, and the thread has to be looked at again. */
async function ask(work: RunContext, how: TakeOver, progress: Progress): Promise<Step | undefined> {
  try {
    return await takeStep(work, progress.steps.length);
  } catch (error) {
    if (error instanceof ThreadAdvancedError) return undefined;
    if (!how.wait || progress.asked > 0 || !isBusy(error)) throw error;
    await sleep(work);
    return undefined;
  }
}

async function standingAfter({ history }: RunContext, { info, answer }: Step): Promise<Standing> {
  // Cancelled, as is seen next.
  if (info === undefined) return "ask";
  // The model had nothing to say; asking the same again would be answered the same.
  if (answer === undefined) return "cut-off";
  return standingOf((await history.load()).messages);
}

/** Why the run ends here; undefined where the model is asked again, with what waited said to it. */
async function goOn(work: RunContext, standing: Standing, progress: Progress): Promise<EndReason | undefined> {
  const { queue, signal, settings } = work;
  const isAnswered = standing === "done" || standing === "cut-off";
  const isLast = progress.asked >= settings.maxSteps;
  // Whoever has just read of the answer may want to say something to it.
  if (isLast || (isAnswered && queue.waiting.length === 0)) await letOthersRun();
  if (signal.aborted) return end(work, "cancelled");
  if (isAnswered && queue.waiting.length === 0) return end(work, standing);
  if (isLast) return end(work, "max-steps");
  if (await stops(work, progress)) return end(work, "stopped");
  if (signal.aborted) return end(work, "cancelled");
  if (standing !== "paused") await say(work, isAnswered ? queue.takeAfterAnswer() : queue.takeSteer());
  return undefined;
}

/** From the moment of the decision nothing can be queued: whoever tries is told, and what waits is on the result. */
function end({ queue }: RunContext, reason: EndReason): EndReason {
  queue.close();
  return reason;
}

async function stops({ settings: { stopWhen }, signal }: RunContext, { steps }: Progress): Promise<boolean> {
  const last = steps.at(-1);
  if (last === undefined || stopWhen === undefined) return false;
  try {
    return (await unlessAborted(signal, () => stopWhen(last)))?.value === true;
  } catch (error) {
    const message = `\`stopWhen\` threw, and the run cannot tell whether to go on: ${messageOf(error)}`;
    throw new AgentError("callback-failed", message, { path: "/stopWhen", cause: error });
  }
}

async function say(work: RunContext, queued: readonly QueuedMessage[]): Promise<void> {
  if (queued.length === 0) return;
  try {
    const { ledger, threadId, settings } = work;
    const words: Message[] = work.queue.wordsOf(queued);
    const said = await (settings.append?.(threadId, words) ?? ledger.append(threadId, words));
    for (const each of queued) work.emit({ type: "unqueued", queued: each, said: true });
    announce(work, said);
  } catch (error) {
    work.queue.putBack(queued);
    throw error;
  }
}
