// Converts a posted message to the message that is appended to the thread.
import type { Message } from "../../model/index.ts";
import type { PendingMessage } from "./journal-entries.ts";

/**
 * Adds the id of a posted message to the message's metadata as `queueId`. By this field, a process that resumes the
 * task detects that the message was delivered.
 */
export function toThreadMessage({ id, message }: PendingMessage): Message {
  return { ...message, metadata: { ...message.metadata, queueId: id } };
}
