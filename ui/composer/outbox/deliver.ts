// Sends a message of the outbox to the server. The message leaves the outbox when the server has stored it. A rejected
// message returns to the draft. If the reply is lost, the message stays in the outbox with its idempotency key, so that
// a retry does not store it twice.
import type { Message } from "koine";
import { THREAD_ADVANCED } from "../../data/conversation/conversation-actions.ts";
import { ApiError, mayHaveSucceeded } from "../../data/http.ts";
import type { SendMessageOptions } from "../../data/types.ts";
import { drafts as pageDrafts, type DraftStore } from "../draft/drafts.ts";
import { outbox as pageOutbox, type Outbox, type OutboxMessage } from "./outbox.ts";

export interface OutboxDelivery {
  threadId: string;
  sendMessage: (message: Message, how: SendMessageOptions) => Promise<void>;
  /**
   * True for a message that waited in the outbox. If the server rejects it, it stays in the outbox as failed, and the
   * messages behind it are not sent.
   */
  isQueued?: boolean;
  outbox?: Outbox;
  drafts?: DraftStore;
}

/**
 * Delivers a message. Throws if the server rejected the message, or stored it without starting an answer. If the
 * outcome is unknown, marks the message as failed in the outbox instead of throwing.
 */
export async function deliver(
  delivery: OutboxDelivery,
  { id, message, answerSettings, mode }: OutboxMessage,
): Promise<void> {
  const { threadId, sendMessage, isQueued = false, outbox = pageOutbox, drafts = pageDrafts } = delivery;
  let isStored = false;
  const onStored = (): void => {
    isStored = true;
    outbox.take(threadId, id);
  };
  outbox.setStage(threadId, id, "sending");
  try {
    await sendMessage(message, { ...answerSettings, mode, key: id, onStored });
  } catch (error) {
    // If the message is stored, only the request for an answer failed. The message is not restored, because the
    // conversation shows it.
    if (isStored) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ApiError && error.code === THREAD_ADVANCED) return outbox.setStage(threadId, id, "waiting");
    if (mayHaveSucceeded(error)) return outbox.fail(threadId, id, `${reason} ${MAY_HAVE_ARRIVED}`);
    if (isQueued) outbox.fail(threadId, id, reason);
    else if (outbox.take(threadId, id) !== undefined) drafts.restoreMessages(threadId, [message]);
    throw error;
  }
}

const MAY_HAVE_ARRIVED = "The message may have arrived. Sending it again does not duplicate it.";
