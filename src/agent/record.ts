// What the ledger is given of an answer, and what can be read from it: the same for an answer that has just come in and
// for one that another process left behind.
import { answerMessage, checkMessages } from "../ledger/index.ts";
import { parseJson, stringifyJson } from "../model/index.ts";
import type { FinishReason, Message, Part, Response, ToolCallPart, ToolResultPart } from "../model/index.ts";

/**
 * The answer's message as it will be stored, and held by nobody else: whoever was given the answer or its deltas may
 * change those. Throws a `LedgerError` where it could not be read back.
 */
export function recorded(response: Response, provider: string | undefined): Message {
  const message = answerMessage(response, provider);
  return copyOf(checkMessages([message])[0] ?? message);
}

/** A copy of plain JSON, exact digits included. */
export function copyOf<Value extends object>(value: Value): Value {
  // What goes in as JSON comes out as the same.
  return parseJson(stringifyJson(value)) as Value;
}

/** Whether there is nothing in an answer that anybody could be told or sent. */
export function saysNothing({ parts }: Message): boolean {
  return parts.every((part) => part.type === "text" && part.text === "" && Object.keys(part).length === 2);
}

const STOPPED: ReadonlySet<string | undefined> = new Set<FinishReason["unified"]>([
  "content-filter",
  "refusal",
  "error",
]);

/** Whether the answer was stopped by somebody, so that what it asks for is not meant and asking again would not mend it. */
export function wasStopped({ metadata }: Message): boolean {
  return STOPPED.has(metadata?.finishReason?.unified);
}

/** The calls that are ours to answer: what the provider executes itself is left alone (B33). */
export function clientCalls({ parts }: Message): ToolCallPart[] {
  return parts.filter(isClientCall);
}

export function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.executor !== "provider";
}

/** The results among the parts of tool messages, by call. */
export function resultsOf(messages: readonly Message[]): Map<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (const { role, parts } of messages) {
    for (const part of parts) if (role === "tool" && part.type === "tool-result") results.set(part.toolCallId, part);
  }
  return results;
}
