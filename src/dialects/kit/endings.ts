// What an ending means for the calls of an answer.
import type { FinishReason } from "../../model/finish.ts";
import type { Message } from "../../model/message.ts";
import type { ToolCallPart } from "../../model/parts.ts";

/** Whether an answer asks its reader to run something: then "stop" means that it waits for the results (B61). */
export function hasClientCalls({ parts }: Message): boolean {
  return parts.some((part) => part.type === "tool-call" && part.executor !== "provider");
}

const CUT_OFF: ReadonlySet<FinishReason["unified"]> = new Set(["length", "refusal", "content-filter", "error"]);

/** Whether an ending means that more was to be said. */
export function isCutOff({ unified }: FinishReason): boolean {
  return CUT_OFF.has(unified);
}

/** The call in which an answer broke off: it is not to be executed (B31). */
export function cutCall({ parts }: Message, finish: FinishReason): ToolCallPart | undefined {
  const last = parts.at(-1);
  return last?.type === "tool-call" && last.executor !== "provider" && isCutOff(finish) ? last : undefined;
}
