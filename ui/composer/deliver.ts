// Brings words out of the outbox to the server: they leave it when they are recorded, and not before. What was refused
// stands in the draft again; what may have arrived is kept with its key, so that another try says it once.
import type { Message } from "koine";
import { OVERTAKEN } from "../data/conversation/actions.ts";
import { ApiError, mayHaveArrived } from "../data/http.ts";
import type { SayHow } from "../data/types.ts";
import { drafts as pageDrafts, type Drafts } from "./drafts.ts";
import { outbox as pageOutbox, type Outbox, type Outgoing } from "./outbox.ts";

export interface Delivery {
  threadId: string;
  /** Says it. */
  say: (message: Message, how: SayHow) => Promise<void>;
  /** It was in the queue: where it is refused, it stays there, and the others behind it. */
  stays?: boolean;
  outbox?: Outbox;
  drafts?: Drafts;
}

/** Throws where it was refused, in words that are to be shown; what is known of it else stands beside it. */
export async function deliver(delivery: Delivery, { id, message, ask, mode }: Outgoing): Promise<void> {
  const { threadId, say, stays = false, outbox = pageOutbox, drafts = pageDrafts } = delivery;
  let isSaid = false;
  const onSaid = (): void => {
    isSaid = true;
    outbox.take(threadId, id);
  };
  outbox.move(threadId, id, "sending");
  try {
    await say(message, { ...ask, mode, key: id, onSaid });
  } catch (error) {
    // Recorded, though nobody could be asked: it stands in the conversation.
    if (isSaid) throw error;
    const words = error instanceof Error ? error.message : String(error);
    if (error instanceof ApiError && error.code === OVERTAKEN) return outbox.move(threadId, id, "waiting");
    if (mayHaveArrived(error)) return outbox.fail(threadId, id, `${words} ${UNKNOWN}`);
    if (stays) outbox.fail(threadId, id, words);
    else if (outbox.take(threadId, id) !== undefined) drafts.giveBack(threadId, [message]);
    throw error;
  }
}

const UNKNOWN = "It is not known whether this has arrived; sent again, it is said once.";
