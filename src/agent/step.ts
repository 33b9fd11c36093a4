// A step: the model is asked, its answer streams into a run of the ledger, its calls are worked on, and the run is
// committed with both. So there is never a call in the thread without its result.
import type { Answer } from "../client/index.ts";
import { checkMessages } from "../ledger/check.ts";
import type { Run } from "../ledger/index.ts";
import { addUsage, parseJson, stringifyJson } from "../model/index.ts";
import type { FinishReason, Message, Request, StoredMessage, Usage } from "../model/index.ts";
import { clientCalls, recorded } from "./record.ts";
import { type Answered, runTools } from "./round.ts";
import type { Tools } from "./toolbox.ts";
import type { StepInfo } from "./types.ts";
import { unlessAborted } from "./waiting.ts";
import { added, orGiveUp, type Work } from "./work.ts";

/** A step, and what it cost: failed attempts included, and answers that were cut off. */
export interface Step {
  /** Absent where the run was cancelled during the answer. */
  info?: StepInfo;
  usage?: Usage | undefined;
}

/** Throws what the client throws, with the run failed and its partial answer kept beside the path. */
export async function takeStep(work: Work, index: number): Promise<Step> {
  const { settings, history } = work;
  const listed = await unlessAborted(work.signal, () => settings.toolbox.current());
  if (listed === undefined) return {};
  const { value: tools } = listed;
  const { run, messages } = await history.begin({ agent: true, step: index, ...namesOf(work) });
  work.emit({ type: "step-start", index, runId: run.id });
  const answer = await orGiveUp(work, run, listen(work, run, requestOf(work, messages, tools)));
  if (answer === undefined) return { usage: run.info.usage };
  const facts = factsOf(answer.answer);
  const answered = { run, message: answer.message, facts, begun: new Set<string>(), known: new Map() };
  const info = await finishStep(work, index, tools, answered);
  return { info, usage: costOf(answer.answer) };
}

/** Works on the calls of an answer, and commits both. What goes wrong on the way can be mended by resuming. */
export async function finishStep(work: Work, index: number, tools: Tools, answered: Answered): Promise<StepInfo> {
  const { run, message } = answered;
  const messages = await orGiveUp(work, run, commit(work, tools, answered));
  added(work, messages);
  const step: StepInfo = { index, runId: run.id, messages, finishReason: finishOf(message) };
  if (message.metadata?.usage !== undefined) step.usage = message.metadata.usage;
  work.emit({ type: "step-end", step });
  return step;
}

async function commit(work: Work, tools: Tools, answered: Answered): Promise<StoredMessage[]> {
  const { run, message, facts } = answered;
  const calls = clientCalls(message);
  const written: Message[] = [message];
  if (calls.length > 0) written.push({ role: "tool", parts: await runTools(work, tools, calls, answered) });
  return (await run.commit(written, { metadata: facts })).messages;
}

function finishOf({ metadata }: Message): FinishReason {
  return metadata?.finishReason ?? { unified: "other" };
}

/** Who is asked, as far as it is known before: fallbacks may answer in their place. */
function namesOf({ settings }: Work): Record<string, unknown> {
  const { model, call, client } = settings;
  const named = client.providers.find((name) => model.startsWith(`${name}/`));
  const provider = call?.provider ?? named ?? (client.providers.length === 1 ? client.providers[0] : undefined);
  return provider === undefined ? { model } : { model, provider };
}

function requestOf({ settings }: Work, messages: readonly Message[], { declarations }: Tools): Request {
  const { request, model, instructions } = settings;
  const told = instructions === undefined ? [...messages] : [instructions, ...messages];
  const asked: Request = { ...request, model, messages: told };
  if (declarations.length > 0) asked.tools = declarations;
  return asked;
}

interface Heard {
  answer: Answer;
  /** As it will be recorded. */
  message: Message;
}

/** The answer; undefined where the run was cancelled before it was whole. */
async function listen(work: Work, run: Run, request: Request): Promise<Heard | undefined> {
  const { settings, signal } = work;
  try {
    const stream = settings.client.stream(request, { ...settings.call, signal });
    let isWhole = false;
    for await (const batch of stream.batches()) {
      run.push(batch);
      for (const delta of batch) work.emit({ type: "delta", runId: run.id, delta });
      isWhole = batch.at(-1)?.kind === "done";
    }
    // Of an answer that was whole when the run was cancelled, deltas that nobody had read yet are not given any more.
    if (!isWhole) signal.throwIfAborted();
    const answer = await stream.response();
    const message = recorded(answer, answer.provider);
    // Before any tool runs: an answer that cannot be recorded must not have effects.
    checkMessages([message]);
    return { answer, message };
  } catch (error) {
    if (!signal.aborted) throw error;
    await run.cancel();
    return undefined;
  }
}

/** What the run's record says about an answer beside its messages. */
function factsOf({ provider, model, losses, attempts }: Answer): Record<string, unknown> {
  const facts: Record<string, unknown> = { provider };
  if (model !== "") facts["model"] = model;
  if (losses.length > 0) facts["losses"] = losses;
  if (attempts.length > 1) facts["attempts"] = attempts;
  // Fields that are undefined are left out, as JSON does.
  return parseJson(stringifyJson(facts)) as Record<string, unknown>; // an object goes in, an object comes out
}

function costOf({ usage, attempts }: Answer): Usage | undefined {
  const counted = attempts.flatMap((attempt) => (attempt.usage === undefined ? [] : [attempt.usage]));
  return counted.length === 0 ? usage : counted.reduce(addUsage);
}
