// A step: the model is asked, its answer streams into a run of the ledger, its calls are worked on, and the run is
// committed with both. So there is never a call in the thread without its result.
import type { Answer } from "../client/index.ts";
import type { Run } from "../ledger/index.ts";
import { addUsage } from "../model/index.ts";
import type { FinishReason, Message, ModelRequest, StoredMessage, ToolChoice, Usage } from "../model/index.ts";
import type { CallIds } from "./call-ids.ts";
import { clientCalls, copyOf, recorded, saysNothing } from "./record.ts";
import { type PendingAnswer, runTools } from "./round.ts";
import type { Tools } from "./toolbox.ts";
import type { StepInfo } from "./types.ts";
import { unlessAborted } from "./waiting.ts";
import { announce, orGiveUp, type RunContext } from "./work.ts";

/** A step, and what it cost: failed attempts included, and answers that were cut off. */
export interface Step {
  /** Absent where the run was cancelled during the answer. */
  info?: StepInfo;
  /** The answer as it is stored; `info` has a copy. Absent where it said nothing. */
  answer?: StoredMessage | undefined;
  usage?: Usage | undefined;
}

/** Throws what the client throws, with the run failed and its partial answer kept beside the path. */
export async function takeStep(work: RunContext, index: number): Promise<Step> {
  const { settings, history } = work;
  const listed = await unlessAborted(work.signal, () => settings.toolbox.current());
  if (listed === undefined) return {};
  const { value: tools } = listed;
  const { run, messages } = await history.begin({ agent: true, step: index, ...namesOf(work) });
  work.emit({ type: "step-start", index, runId: run.id });
  const request = requestOf(work, { index, messages, tools });
  const ids = await orGiveUp(run, history.callIds());
  const heard = await orGiveUp(run, listen(work, run, request, ids));
  if (heard === undefined) return { usage: run.info.usage };
  const { answer, message } = heard;
  const answered = { run, message, facts: factsOf(answer), begun: new Set<string>(), known: new Map(), ids };
  return { ...(await finishStep(work, index, tools, answered)), usage: costOf(answer) };
}

/** Works on the calls of an answer, and commits both. What goes wrong on the way can be mended by resuming. */
export async function finishStep(
  work: RunContext,
  index: number,
  tools: Tools,
  answered: PendingAnswer,
): Promise<Step> {
  const { run, message } = answered;
  const stored = await orGiveUp(run, commit(work, tools, answered));
  const messages = announce(work, stored);
  const info: StepInfo = { index, runId: run.id, messages, finishReason: finishOf(message) };
  const usage = message.metadata?.usage;
  if (usage !== undefined) info.usage = usage;
  work.emit({ type: "step-end", step: info });
  return { info, answer: stored[0], usage };
}

async function commit(work: RunContext, tools: Tools, answered: PendingAnswer): Promise<StoredMessage[]> {
  const { run, message: said, facts } = answered;
  const metadata = { ...modelOf(said), ...facts };
  // No provider takes a message that says nothing.
  if (saysNothing(said)) return (await run.commit([], { metadata })).messages;
  const ids = answered.ids ?? (await work.history.callIds());
  const message = ids.rename(said);
  const written: Message[] = [message];
  if (clientCalls(message).length > 0) {
    if (areNews(facts, run.info.metadata)) await run.note(facts);
    written.push({ role: "tool", parts: await runTools(work, tools, answered, { message, ids }) });
  }
  return (await run.commit(written, { metadata })).messages;
}

function modelOf({ metadata }: Message): Record<string, unknown> {
  return metadata?.model === undefined ? {} : { model: metadata.model };
}

/** Whether an answer's facts say more than its log and what was known before it, so that whoever takes over needs them. */
function areNews(facts: Record<string, unknown>, known: Record<string, unknown> | undefined): boolean {
  const { provider = known?.["provider"], losses, attempts } = facts;
  return losses !== undefined || attempts !== undefined || provider !== known?.["provider"];
}

function finishOf({ metadata }: Message): FinishReason {
  return metadata?.finishReason ?? { unified: "other" };
}

/** Who is asked, as far as it is known before: fallbacks may answer in their place. */
function namesOf({ settings }: RunContext): Record<string, unknown> {
  const { model, call, client } = settings;
  const named = client.providers.find((name) => model.startsWith(`${name}/`));
  const provider = call?.provider ?? named ?? (client.providers.length === 1 ? client.providers[0] : undefined);
  return provider === undefined ? { model } : { model, provider };
}

interface Asking {
  index: number;
  messages: readonly Message[];
  tools: Tools;
}

function requestOf({ settings }: RunContext, { index, messages, tools }: Asking): ModelRequest {
  const { request, model, instructions } = settings;
  const told = instructions === undefined ? [...messages] : [instructions, ...messages];
  const asked: ModelRequest = { ...request, model, messages: told };
  if (tools.declarations.length > 0) asked.tools = tools.declarations;
  // A model that must call a tool each time never comes to an end.
  const isFirst = index === 0 && messages.at(-1)?.role !== "tool";
  if (!isFirst && asked.toolChoice !== undefined) asked.toolChoice = withoutDemand(asked.toolChoice);
  return asked;
}

function withoutDemand(choice: ToolChoice): ToolChoice {
  if (typeof choice === "object") return "toolName" in choice ? "auto" : { ...choice, mode: "auto" };
  return choice === "required" ? "auto" : choice;
}

interface Heard {
  answer: Answer;
  /** As it will be recorded. */
  message: Message;
}

/** The answer; undefined where the run was cancelled before it was whole. */
async function listen(work: RunContext, run: Run, request: ModelRequest, ids: CallIds): Promise<Heard | undefined> {
  const { settings, signal } = work;
  try {
    const stream = settings.client.stream(request, { ...settings.call, signal });
    let isWhole = false;
    for await (const batch of stream.batches()) {
      run.push(batch);
      for (const delta of batch) work.emit({ type: "delta", runId: run.id, delta: ids.show(delta) });
      isWhole = batch.at(-1)?.kind === "done";
    }
    // Of an answer that was whole when the run was cancelled, deltas that nobody had read yet are not given any more.
    if (!isWhole) signal.throwIfAborted();
    const answer = await stream.response();
    // Before any tool runs: an answer that cannot be recorded must not have effects.
    return { answer, message: recorded(answer, answer.provider) };
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
  return copyOf(facts);
}

function costOf({ usage, attempts }: Answer): Usage | undefined {
  const counted = attempts.flatMap((attempt) => (attempt.usage === undefined ? [] : [attempt.usage]));
  return counted.length === 0 ? usage : counted.reduce(addUsage);
}
