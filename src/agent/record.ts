// What the ledger is given of an answer, and what can be read from it: the same for an answer that has just come in and
// for one that another process left behind.
import { withReadableCalls } from "../ledger/runs/readable.ts";
import { assignObject, copyObject } from "../model/json.ts";
import type { Message, Metadata, Response, ToolCallPart, ToolResultPart } from "../model/index.ts";

/** The answer's message with what the response says about it; what it says itself wins. Nothing else of the response lasts. */
export function recorded(response: Response, provider: string | undefined): Message {
  const { message, model, finishReason, usage } = response;
  const facts: Metadata = { finishReason };
  if (model !== "") facts.model = model;
  if (provider !== undefined) facts.provider = provider;
  if (usage !== undefined) facts.usage = usage;
  const rest = restOf(response);
  if (Object.keys(rest).length > 0) facts["response"] = rest;
  const metadata = assignObject(facts, message.metadata ?? {});
  return withReadableCalls(Object.assign(copyObject(message), { metadata }));
}

function restOf({ id, createdAt, extra, alternatives }: Response): Partial<Response> {
  const rest: Partial<Response> = {};
  if (id !== "") rest.id = id;
  if (createdAt !== undefined) rest.createdAt = createdAt;
  if (extra !== undefined) rest.extra = extra;
  if (alternatives !== undefined) rest.alternatives = alternatives;
  return rest;
}

/** The calls that are ours to answer: what the provider executes itself is left alone (B33). */
export function clientCalls({ parts }: Message): ToolCallPart[] {
  return parts.flatMap((part) => (part.type === "tool-call" && part.executor !== "provider" ? [part] : []));
}

/** The results among the parts of tool messages, by call. */
export function resultsOf(messages: readonly Message[]): Map<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (const { role, parts } of messages) {
    for (const part of parts) if (role === "tool" && part.type === "tool-result") results.set(part.toolCallId, part);
  }
  return results;
}

/** What a message says, without reasoning and all else. */
export function textOf({ parts }: Message): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
