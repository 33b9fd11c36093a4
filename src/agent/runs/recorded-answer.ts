// Converts answers to the form that the ledger records, and reads their calls and results. The functions treat an
// answer of this process and an answer of a dead process in the same way.
import { messageFromResponse, assertStorableMessages } from "../../ledger/index.ts";
import { parseJson, stringifyJson } from "../../model/index.ts";
import type { FinishReason, Message, Part, ModelResponse, ToolCallPart, ToolResultPart } from "../../model/index.ts";

/**
 * Returns a copy of the answer's message in its stored form, because readers of the answer and its deltas may change
 * the original. Throws a `LedgerError` if the message cannot be stored.
 */
export function toRecordedMessage(response: ModelResponse, provider: string | undefined): Message {
  const message = messageFromResponse(response, provider);
  return copyJson(assertStorableMessages([message])[0] ?? message);
}

/** Copies plain JSON, including numbers with exact digits. */
export function copyJson<Value extends object>(value: Value): Value {
  return parseJson(stringifyJson(value)) as Value;
}

/**
 * True if an answer has no content that could be shown or sent: no parts, or only empty texts without seals or residue.
 */
export function isEmptyAnswer({ parts }: Message): boolean {
  return parts.every((part) => part.type === "text" && part.text === "" && Object.keys(part).length === 2);
}

const STOPPED_REASONS: ReadonlySet<string | undefined> = new Set<FinishReason["unified"]>([
  "content-filter",
  "refusal",
  "error",
]);

/**
 * True if a filter, a refusal or an error stopped the answer. Its calls are not run, and a further call to the model
 * would not help.
 */
export function wasStopped({ metadata }: Message): boolean {
  return STOPPED_REASONS.has(metadata?.finishReason?.unified);
}

/** Returns the tool calls that the client must answer, without calls that the provider executes itself (B33). */
export function findClientCalls({ parts }: Message): ToolCallPart[] {
  return parts.filter(isClientCall);
}

export function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.executor !== "provider";
}

/** Returns the tool results in tool messages, by call id. */
export function readToolResults(messages: readonly Message[]): Map<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (const { role, parts } of messages) {
    for (const part of parts) if (role === "tool" && part.type === "tool-result") results.set(part.toolCallId, part);
  }
  return results;
}
