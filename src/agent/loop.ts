// The loop: step after step until the model has said all and nothing waits, or something ends it earlier.
import { addUsage } from "../model/index.ts";
import type { Message, StoredMessage, Usage } from "../model/index.ts";
import { clientCalls, textOf } from "./record.ts";
import { finishSteps, type TakeOver } from "./resume.ts";
import { type Step, takeStep } from "./step.ts";
import type { AgentResult, EndReason, QueuedMessage, StepInfo } from "./types.ts";
import { unlessAborted } from "./waiting.ts";
import { added, type Work } from "./work.ts";

/** How a run begins. */
export interface Opening extends TakeOver {
  /** What is said first; without it the thread is gone on with. */
  input?: readonly Message[];
  idempotencyKey?: string | undefined;
}

/** Where a thread stands: the model is to be asked, or nothing more is to be done. */
type Standing = "ask" | "done" | "cut-off";

export async function runLoop(work: Work, opening: Opening): Promise<AgentResult> {
  const progress = new Progress(work);
  let standing = await open(work, opening, progress);
  for (;;) {
    const reason = await goOn(work, standing, progress);
    if (reason !== undefined) return progress.result(reason);
    const step = await takeStep(work, progress.steps.length);
    progress.asked++;
    progress.add(step);
    if (step.info !== undefined) standing = standingAfter(step.info);
  }
}

/** Finishes what was left behind, then says what is to be said. */
async function open(work: Work, opening: Opening, progress: Progress): Promise<Standing> {
  for (const step of await finishSteps(work, opening)) progress.add(step);
  const { input, idempotencyKey } = opening;
  if (input !== undefined) {
    const said = await work.ledger.append(work.threadId, input, { idempotencyKey });
    const { leafId } = await work.history.load();
    if (leafId === said.at(-1)?.id) {
      for (const message of said) work.emit({ type: "message", message });
      return "ask";
    }
  }
  const last = progress.steps.at(-1);
  if (input === undefined && last !== undefined) return standingAfter(last);
  return standingOf((await work.history.load()).messages.at(-1), progress);
}

/** Where a thread stands that others have left. */
function standingOf(last: StoredMessage | undefined, progress: Progress): Standing {
  if (last === undefined) return "done";
  if (last.role !== "assistant") return last.role === "system" ? "done" : "ask";
  progress.message = last;
  return last.metadata.finishReason?.unified === "pause" ? "ask" : "done";
}

/** An answer that ended in a way that asking again would not mend. Where length cut a call off, the model can make it again. */
function standingAfter({ messages, finishReason: { unified } }: StepInfo): Standing {
  if (unified === "content-filter" || unified === "refusal" || unified === "error") return "cut-off";
  const [answer] = messages;
  if (unified === "pause" || (answer !== undefined && clientCalls(answer).length > 0)) return "ask";
  return unified === "length" ? "cut-off" : "done";
}

/** Why the run ends here; undefined where the model is asked again, with what waited said to it. */
async function goOn(work: Work, standing: Standing, progress: Progress): Promise<EndReason | undefined> {
  const { queue, signal, settings } = work;
  if (signal.aborted) return "cancelled";
  if (standing !== "ask" && queue.waiting.length === 0) return standing;
  if (progress.asked >= settings.maxSteps) return "max-steps";
  const last = progress.steps.at(-1);
  const { stopWhen } = settings;
  if (last !== undefined && stopWhen !== undefined) {
    const stops = await unlessAborted(signal, () => stopWhen(last));
    if (stops?.value === true) return "stopped";
  }
  if (signal.aborted) return "cancelled";
  await say(work, standing === "ask" ? queue.takeSteer() : queue.takeAfterAnswer());
  return undefined;
}

async function say(work: Work, queued: readonly QueuedMessage[]): Promise<void> {
  if (queued.length === 0) return;
  try {
    const said = await work.ledger.append(
      work.threadId,
      queued.map(({ message }) => message),
    );
    for (const each of queued) work.emit({ type: "unqueued", queued: each });
    added(work, said);
  } catch (error) {
    work.queue.putBack(queued);
    throw error;
  }
}

/** What a run has come to. */
class Progress {
  readonly steps: StepInfo[] = [];
  /** The last answer. */
  message: StoredMessage | undefined;
  /** How often the model was asked. */
  asked = 0;
  private usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  private readonly work: Work;

  constructor(work: Work) {
    this.work = work;
  }

  add({ info, usage }: Step): void {
    if (usage !== undefined) this.usage = addUsage(this.usage, usage);
    if (info === undefined) return;
    this.steps.push(info);
    this.message = info.messages.find(({ role }) => role === "assistant") ?? this.message;
  }

  /** Nothing can be queued from here on: whoever tries is told, and what waits is on the result. */
  result(reason: EndReason): AgentResult {
    const { work, message, steps, usage } = this;
    work.queue.close();
    const pending = [...work.queue.waiting];
    const result: AgentResult = { threadId: work.threadId, reason, text: "", steps, usage, pending };
    if (message === undefined) return result;
    return { ...result, message, text: textOf(message) };
  }
}
