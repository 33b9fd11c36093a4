// A provider that gives scripted answers, agents that use it, and ledgers for them.
import type { AgentOptions, AgentTool } from "../../../src/agent/index.ts";
import { createAgent, tool } from "../../../src/agent/index.ts";
import type { Agent, AgentEvent, AgentRun } from "../../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../../src/client/index.ts";
import { checkRequest } from "../../../src/dialects/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import type {
  Delta,
  Message,
  Part,
  ModelRequest,
  StoredMessage,
  ToolResultPart,
  UnifiedFinishReason,
} from "../../../src/model/index.ts";
import { delta } from "../../support/deltas.ts";
import { STORES } from "../../ledger/support/stores.ts";

/** Ledgers that need no server. */
export const LEDGERS = STORES.filter(({ name }) => name !== "postgres");

/** One answer: its deltas, or a function that creates them. */
export type Answer =
  | readonly Delta[]
  | ((request: ModelRequest, signal: AbortSignal) => Iterable<Delta> | AsyncIterable<Delta>);

let answers = 0;

/** Returns the deltas of an answer with the given content deltas. */
export function answer(finishReason: UnifiedFinishReason, ...between: readonly Delta[]): Delta[] {
  const start = delta("start", { modelId: "scripted-1", requestId: `r-${++answers}`, contractVersion: 1 });
  const usage = delta("usage", { inputTokens: 10, outputTokens: 5, totalTokens: 15 });
  return [start, ...between, usage, delta("done", { finishReason })];
}

export function textAnswer(text: string, finishReason: UnifiedFinishReason = "stop"): Delta[] {
  return answer(finishReason, delta("text", { textDelta: text }));
}

/** Yields the deltas one by one, as a stream does. */
export async function* slowly(deltas: readonly Delta[]): AsyncGenerator<Delta> {
  yield* deltas;
}

/** Returns the deltas of a call; its arguments may be invalid JSON. */
export function call(toolCallId: string, toolName: string, input: unknown = {}): Delta[] {
  const argsTextDelta = typeof input === "string" ? input : JSON.stringify(input);
  return [
    delta("tool_call_start", { toolCallId, toolName }),
    delta("tool_call_args", { toolCallId, argsTextDelta }),
    delta("tool_call_end", { toolCallId }),
  ];
}

/** Returns an answer with these calls. */
export function callAnswer(...calls: readonly Delta[][]): Delta[] {
  return answer("tool-calls", ...calls.flat());
}

export interface Scripted {
  provider: LocalProvider;
  /** The requests in order. */
  requests: ModelRequest[];
}

/** Gives its answers one after the other. */
export function scripted(...script: Answer[]): Scripted {
  const requests: ModelRequest[] = [];
  const provider: LocalProvider = {
    answer(request, { signal }) {
      requests.push(request);
      const next = script.shift();
      if (next === undefined) throw new Error("The script has no more answers.");
      return typeof next === "function" ? next(request, signal) : next;
    },
  };
  return { provider, requests };
}

export interface Setup extends Scripted {
  agent: Agent;
}

/** Creates an agent with a scripted model. */
export function agentOn(script: readonly Answer[], options: Partial<AgentOptions> = {}): Setup {
  const model = scripted(...script);
  const client = createClient({ providers: { local: model.provider }, retry: { attempts: 1 } });
  return { ...model, agent: createAgent({ client, model: "local/m", ...options }) };
}

/** A tool that counts its runs and returns its input. */
export function echo(name = "echo", more: Partial<AgentTool> = {}): AgentTool & { inputs: unknown[] } {
  const inputs: unknown[] = [];
  const counted = tool({
    name,
    run: (input) => {
      inputs.push(input);
      return input;
    },
  });
  // Not a field of the tool, because tools have no such field.
  return Object.defineProperty({ ...counted, ...more, inputs }, "inputs", { enumerable: false });
}

export async function eventsOf(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Returns the types of events, without deltas. */
export function kinds(events: readonly AgentEvent[]): string[] {
  return events.flatMap(({ type }) => (type === "delta" ? [] : [type]));
}

function shortPart(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return `${part.toolName}#${part.toolCallId}`;
  if (part.type === "tool-result") return `${part.isError ? "!" : "="}${part.toolCallId}`;
  return part.type;
}

/** Summarizes a transcript: "user: hello", "assistant: echo#1", "tool: =1"; error results begin with "!". */
export function short(messages: readonly Message[]): string[] {
  return messages.map(({ role, parts }) => `${role}: ${parts.map(shortPart).join(" ")}`);
}

export async function transcript(ledger: Ledger, threadId: string): Promise<string[]> {
  return short(await ledger.transcript(threadId));
}

/** Returns all results of a transcript in order. */
export function results(messages: readonly Message[]): ToolResultPart[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-result" ? [part] : [])));
}

const PROVIDERS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Returns the repairs that a provider would need for a thread; none if it is valid. */
export async function repairs(ledger: Ledger, threadId: string): Promise<string[]> {
  const messages: StoredMessage[] = await ledger.context(threadId);
  return PROVIDERS.flatMap((dialect) =>
    checkRequest({ model: "m", messages, sampling: { maxOutputTokens: 100 } }, dialect).flatMap(
      ({ action, code, path }) =>
        action === "repaired" || action === "synthesized" ? [`${dialect} ${code} ${path}`] : [],
    ),
  );
}

/** A promise that a test resolves. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
