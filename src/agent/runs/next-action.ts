// The next action for a thread, determined from its messages: the same whether this run or another one wrote them.
import { getText } from "../../model/index.ts";
import type { Message, StoredMessage } from "../../model/index.ts";
import { findClientCalls, wasStopped } from "./recorded-answer.ts";

export type NextAction =
  /** Call the model. */
  | "ask"
  /** Call the model without a further message: its answer paused and must be continued. */
  | "paused"
  | "done"
  /** The answer ended in a way that another call would repeat. */
  | "cut-off";

export function isInstruction(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

/** True for roles of messages to the model. */
export function isInputRole(role: Message["role"]): boolean {
  return role === "user" || isInstruction(role);
}

/** Returns the next action for messages in the order in which the model receives them. */
export function findNextAction(messages: readonly StoredMessage[]): NextAction {
  const last = messages.findLast(({ role }) => !isInstruction(role));
  if (last === undefined) return "done";
  if (last.role === "user") return "ask";
  const answer = messages.findLast(({ role }) => role === "assistant");
  if (answer !== undefined && wasStopped(answer)) return "cut-off";
  // A call that was truncated by the token limit has an error result, so that the model can repeat it.
  if (last.role === "tool" || findClientCalls(last).length > 0) return "ask";
  if (isPaused(last)) return "paused";
  return last.metadata.finishReason?.unified === "length" ? "cut-off" : "done";
}

export function isPaused(message: StoredMessage | undefined): boolean {
  return message?.role === "assistant" && message.metadata.finishReason?.unified === "pause";
}

/** Returns the last answer, and its text including the paused messages directly before it. */
export function findLastAnswer(
  messages: readonly StoredMessage[],
): { message: StoredMessage; text: string } | undefined {
  const end = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[end];
  if (message === undefined) return undefined;
  let begin = end;
  while (isPaused(messages[begin - 1])) begin--;
  return {
    message,
    text: messages
      .slice(begin, end + 1)
      .map(getText)
      .join(""),
  };
}
