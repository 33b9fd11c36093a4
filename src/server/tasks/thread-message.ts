// Converts a posted message to the message that is appended to the thread.
import type { Message } from "../../model/index.ts";
import type { PendingMessage } from "./journal-entries.ts";

/** `queueId` tells a process that resumes the task which queued messages were delivered. */
export function toThreadMessage({ id, message }: PendingMessage): Message {
  return { ...message, metadata: { ...message.metadata, queueId: id } };
}
