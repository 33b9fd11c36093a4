// Takes one step: calls the model, streams its answer into a run of the ledger, runs its tool calls, and commits answer
// and results together, so that the thread never has a call without its result.
import type { Answer } from "../../client/index.ts";
import type { Run } from "../../ledger/index.ts";
import { addUsage } from "../../model/index.ts";
import type { FinishReason, Message, ModelRequest, StoredMessage, ToolChoice, Usage } from "../../model/index.ts";
import { unlessAborted } from "../concurrency.ts";
import type { CallIds } from "../tools/call-ids.ts";
import { type PendingAnswer, runTools } from "../tools/tool-round.ts";
import type { StepTools } from "../tools/toolbox.ts";
import type { StepInfo } from "../types.ts";
import { copyJson, findClientCalls, isEmptyAnswer, toRecordedMessage } from "./recorded-answer.ts";
import { orFailRun, publishMessages, type RunContext } from "./run-context.ts";

/** The result of a step, and its usage including failed attempts and truncated answers. */
export interface Step {
  /** The public description of the step; absent if the run was cancelled during the answer. */
  info?: StepInfo;
  /** The stored answer; `info` has a copy. Absent if the answer was empty. */
  answer?: StoredMessage | undefined;
  usage?: Usage | undefined;
}

/**
 * Takes a step. If the call to the model fails, throws the client's error; the ledger run is then failed, and its
 * partial answer is outside the active path.
 */
export async function takeStep(context: RunContext, index: number): Promise<Step> {
  const { settings, history } = context;
  const listed = await unlessAborted(context.signal, () => settings.toolbox.current());
  if (listed === undefined) return {};
  const { value: tools } = listed;
  const { run, messages } = await history.begin({ agent: true, step: index, ...readTarget(context) });
  context.emit({ type: "step-start", index, runId: run.id });
  const request = createRequest(context, { index, messages, tools });
  const ids = await orFailRun(run, history.callIds());
  const received = await orFailRun(run, receiveAnswer(context, run, request, ids));
  if (received === undefined) return { usage: run.info.usage };
  const { answer, message } = received;
  const pending: PendingAnswer = {
    run,
    message,
    runMetadata: toRunMetadata(answer),
    startedBefore: new Set<string>(),
    recordedResults: new Map(),
    ids,
  };
  return { ...(await finishStep(context, index, tools, pending)), usage: sumUsage(answer) };
}

/** Runs the tool calls of an answer and commits the answer with the results. If this fails, the step can be resumed. */
export async function finishStep(
  context: RunContext,
  index: number,
  tools: StepTools,
  pending: PendingAnswer,
): Promise<Step> {
  const { run, message } = pending;
  const stored = await orFailRun(run, commitStep(context, tools, pending));
  const messages = publishMessages(context, stored);
  const info: StepInfo = { index, runId: run.id, messages, finishReason: readFinishReason(message) };
  const usage = message.metadata?.usage;
  if (usage !== undefined) info.usage = usage;
  context.emit({ type: "step-end", step: info });
  return { info, answer: stored[0], usage };
}

async function commitStep(context: RunContext, tools: StepTools, pending: PendingAnswer): Promise<StoredMessage[]> {
  const { run, message: received, runMetadata } = pending;
  const metadata = { ...readModel(received), ...runMetadata };
  // Providers reject empty messages, so an empty answer is not stored.
  if (isEmptyAnswer(received)) return (await run.commit([], { metadata })).messages;
  const ids = pending.ids ?? (await context.history.callIds());
  const message = ids.renameMessage(received);
  const messages: Message[] = [message];
  if (findClientCalls(message).length > 0) {
    if (hasNewMetadata(runMetadata, run.info.metadata)) await run.mergeMetadata(runMetadata);
    messages.push({ role: "tool", parts: await runTools(context, tools, pending, { message, ids }) });
  }
  return (await run.commit(messages, { metadata })).messages;
}

function readModel({ metadata }: Message): Record<string, unknown> {
  return metadata?.model === undefined ? {} : { model: metadata.model };
}

/**
 * True if the metadata must be stored before the tools run: it contains losses, attempts or another provider, and a
 * process that takes the run over could not derive these from the deltas and the stored metadata (`known`).
 */
function hasNewMetadata(metadata: Record<string, unknown>, known: Record<string, unknown> | undefined): boolean {
  const { provider = known?.["provider"], losses, attempts } = metadata;
  return losses !== undefined || attempts !== undefined || provider !== known?.["provider"];
}

function readFinishReason({ metadata }: Message): FinishReason {
  return metadata?.finishReason ?? { unified: "other" };
}

/**
 * Returns the requested model and, if it is known before the call, its provider, as metadata of the ledger run. The
 * actual provider may differ, because a fallback may answer.
 */
function readTarget({ settings }: RunContext): Record<string, unknown> {
  const { model, call, client } = settings;
  const named = client.providers.find((name) => model.startsWith(`${name}/`));
  const provider = call?.provider ?? named ?? (client.providers.length === 1 ? client.providers[0] : undefined);
  return provider === undefined ? { model } : { model, provider };
}

interface StepInput {
  index: number;
  messages: readonly Message[];
  tools: StepTools;
}

function createRequest({ settings }: RunContext, { index, messages: history, tools }: StepInput): ModelRequest {
  const { request: defaults, model, instructions } = settings;
  const messages = instructions === undefined ? [...history] : [instructions, ...history];
  const request: ModelRequest = { ...defaults, model, messages };
  if (tools.declarations.length > 0) request.tools = tools.declarations;
  // `toolChoice` may require a call only at the start of a run, because a model that must call a tool in every step
  // would never finish. A step that follows tool results (after a resume) is not the start.
  const isFirst = index === 0 && history.at(-1)?.role !== "tool";
  if (!isFirst && request.toolChoice !== undefined) request.toolChoice = withoutRequiredCall(request.toolChoice);
  return request;
}

function withoutRequiredCall(choice: ToolChoice): ToolChoice {
  if (typeof choice === "object") return "toolName" in choice ? "auto" : { ...choice, mode: "auto" };
  return choice === "required" ? "auto" : choice;
}

interface ReceivedAnswer {
  answer: Answer;
  /** The message in the form that the ledger records. */
  message: Message;
}

/**
 * Calls the model and streams its answer into the ledger run. Returns undefined if the run was cancelled before the end
 * of the answer.
 */
async function receiveAnswer(
  context: RunContext,
  run: Run,
  request: ModelRequest,
  ids: CallIds,
): Promise<ReceivedAnswer | undefined> {
  const { settings, signal } = context;
  try {
    const stream = settings.client.stream(request, { ...settings.call, signal });
    let isComplete = false;
    for await (const batch of stream.batches()) {
      run.push(batch);
      for (const delta of batch) context.emit({ type: "delta", runId: run.id, delta: ids.renameDelta(delta) });
      isComplete = batch.at(-1)?.kind === "done";
    }
    // If the run is cancelled, the stream drops unread deltas, even if the provider has sent the complete answer. The
    // deltas in the ledger may then be incomplete, so the step counts as cancelled.
    if (!isComplete) signal.throwIfAborted();
    const answer = await stream.response();
    // The answer is converted before any tool runs, because an answer that cannot be recorded must have no effects.
    return { answer, message: toRecordedMessage(answer, answer.provider) };
  } catch (error) {
    if (!signal.aborted) throw error;
    await run.cancel();
    return undefined;
  }
}

/** Returns metadata about an answer for its ledger run. */
function toRunMetadata({ provider, model, losses, attempts }: Answer): Record<string, unknown> {
  const metadata: Record<string, unknown> = { provider };
  if (model !== "") metadata["model"] = model;
  if (losses.length > 0) metadata["losses"] = losses;
  if (attempts.length > 1) metadata["attempts"] = attempts;
  // The copy drops fields that are undefined, as JSON does.
  return copyJson(metadata);
}

/** Returns the usage of all attempts together; the usage of the answer if no attempt reports usage. */
function sumUsage({ usage, attempts }: Answer): Usage | undefined {
  const ofAttempts = attempts.flatMap((attempt) => (attempt.usage === undefined ? [] : [attempt.usage]));
  return ofAttempts.length === 0 ? usage : ofAttempts.reduce(addUsage);
}
