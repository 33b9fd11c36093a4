// Determines the next action for a thread from its messages. The action does not depend on which run wrote them.
import { getText } from "../../model/index.ts";
import type { Message, StoredMessage } from "../../model/index.ts";
import { findClientCalls, wasStopped } from "./recorded-answer.ts";

export type NextAction =
  /** The model is called with the history. */
  | "ask"
  /** The model is called without a further message, because its answer paused and must be continued. */
  | "paused"
  | "done"
  /**
   * The answer was ended by a refusal, a filter, an error or the token limit; a further call would end in the same way.
   */
  | "cut-off";

export function isInstruction(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

/** True for the roles of messages to the model: user, system and developer. */
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
  // The model receives the results of its calls next. This includes a call that the token limit truncated: its result
  // is an error, and the model can repeat the call.
  if (last.role === "tool" || findClientCalls(last).length > 0) return "ask";
  if (isPaused(last)) return "paused";
  return last.metadata.finishReason?.unified === "length" ? "cut-off" : "done";
}

export function isPaused(message: StoredMessage | undefined): boolean {
  return message?.role === "assistant" && message.metadata.finishReason?.unified === "pause";
}

/**
 * Returns the last answer and its text, including the text of paused messages directly before it; undefined if there is
 * no answer.
 */
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
