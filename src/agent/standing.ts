// Where a thread stands: the same for one that this run has brought there and for one that others have left.
import { textOf } from "../model/index.ts";
import type { Message, StoredMessage } from "../model/index.ts";
import { clientCalls, wasStopped } from "./record.ts";

export type Standing =
  /** The model is to be asked. */
  | "ask"
  /** So it is, and nothing may be said before: its answer paused and has to go on. */
  | "paused"
  | "done"
  /** Its answer ended in a way that asking again would not mend. */
  | "cut-off";

export function isInstruction(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

/** Whether it is one of those who speak to the model. */
export function isInputRole(role: Message["role"]): boolean {
  return role === "user" || isInstruction(role);
}

/** From the messages as the model is told of them. */
export function standingOf(messages: readonly StoredMessage[]): Standing {
  const last = messages.findLast(({ role }) => !isInstruction(role));
  if (last === undefined) return "done";
  if (last.role === "user") return "ask";
  const answer = messages.findLast(({ role }) => role === "assistant");
  if (answer !== undefined && wasStopped(answer)) return "cut-off";
  // Where length cut a call off, the model is told, and can make it again.
  if (last.role === "tool" || clientCalls(last).length > 0) return "ask";
  if (isPaused(last)) return "paused";
  return last.metadata.finishReason?.unified === "length" ? "cut-off" : "done";
}

export function isPaused(message: StoredMessage | undefined): boolean {
  return message?.role === "assistant" && message.metadata.finishReason?.unified === "pause";
}

/** The last answer among messages, and its text with that of the pieces before it that paused. */
export function answerIn(messages: readonly StoredMessage[]): { message: StoredMessage; text: string } | undefined {
  const end = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[end];
  if (message === undefined) return undefined;
  let begin = end;
  while (isPaused(messages[begin - 1])) begin--;
  return {
    message,
    text: messages
      .slice(begin, end + 1)
      .map(textOf)
      .join(""),
  };
}
