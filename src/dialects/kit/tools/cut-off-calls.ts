// Determines from the finish reason and the parts of an answer whether the answer waits for tool results, and which
// call was cut off.
import type { FinishReason } from "../../../model/finish-reason.ts";
import type { Message } from "../../../model/message.ts";
import type { ToolCallPart } from "../../../model/parts.ts";

/**
 * True if the answer has a call that the client runs. The provider's finish reason "stop" then means that the answer
 * waits for tool results (B61).
 */
export function hasClientCalls({ parts }: Message): boolean {
  return parts.some((part) => part.type === "tool-call" && part.executor !== "provider");
}

const CUT_OFF: ReadonlySet<FinishReason["unified"]> = new Set(["length", "refusal", "content-filter", "error"]);

/** True if a finish reason means that the answer is incomplete. */
export function isCutOff({ unified }: FinishReason): boolean {
  return CUT_OFF.has(unified);
}

/**
 * Returns the last part of an answer that was cut off, if that part is a call that the client runs. The arguments of
 * the call may be incomplete, so it must not be run (B31). Returns undefined if there is no such call.
 */
export function findCutOffCall({ parts }: Message, finish: FinishReason): ToolCallPart | undefined {
  const last = parts.at(-1);
  return last?.type === "tool-call" && last.executor !== "provider" && isCutOff(finish) ? last : undefined;
}
