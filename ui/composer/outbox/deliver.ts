// Sends a message of the outbox to the server. It leaves the outbox when it is stored. A rejected message returns to
// the draft; one that may have arrived stays with its idempotency key, so that a retry stores it once.
import type { Message } from "koine";
import { THREAD_ADVANCED } from "../../data/conversation/conversation-actions.ts";
import { ApiError, mayHaveSucceeded } from "../../data/http.ts";
import type { SendMessageOptions } from "../../data/types.ts";
import { drafts as pageDrafts, type DraftStore } from "../draft/drafts.ts";
import { outbox as pageOutbox, type Outbox, type OutboxMessage } from "./outbox.ts";

export interface OutboxDelivery {
  threadId: string;
  sendMessage: (message: Message, how: SendMessageOptions) => Promise<void>;
  /** The message was queued: if it is rejected, it stays in the outbox and blocks those behind it. */
  isQueued?: boolean;
  outbox?: Outbox;
  drafts?: DraftStore;
}

/** Throws if the server rejected the message; an unknown outcome is recorded in the outbox item instead. */
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
    // The message is stored, only the request for an answer failed; the conversation shows it.
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
