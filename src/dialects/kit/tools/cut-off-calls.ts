// Finish reasons and calls: whether an answer waits for results, and which call was cut off.
import type { FinishReason } from "../../../model/finish-reason.ts";
import type { Message } from "../../../model/message.ts";
import type { ToolCallPart } from "../../../model/parts.ts";

/** True if an answer contains calls that the client runs: then "stop" means that it waits for their results (B61). */
export function hasClientCalls({ parts }: Message): boolean {
  return parts.some((part) => part.type === "tool-call" && part.executor !== "provider");
}

const CUT_OFF: ReadonlySet<FinishReason["unified"]> = new Set(["length", "refusal", "content-filter", "error"]);

/** True if a finish reason means that the answer is incomplete. */
export function isCutOff({ unified }: FinishReason): boolean {
  return CUT_OFF.has(unified);
}

/** Returns the last call of an answer that was cut off in it: the call must not be run (B31). */
export function findCutOffCall({ parts }: Message, finish: FinishReason): ToolCallPart | undefined {
  const last = parts.at(-1);
  return last?.type === "tool-call" && last.executor !== "provider" && isCutOff(finish) ? last : undefined;
}
