// What is said to a task, as the thread has it: marked with the id that its client knows it by.
import type { Message } from "../../model/index.ts";
import type { PendingMessage } from "./entries.ts";

/** The mark tells whoever takes a task up which of the messages that waited were said. */
export function toThreadMessage({ id, message }: PendingMessage): Message {
  return { ...message, metadata: { ...message.metadata, queueId: id } };
}
