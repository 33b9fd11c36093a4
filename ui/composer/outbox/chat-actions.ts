// Implements the actions of a chat's composer: send the draft, queue the draft, or stop the answer. A message that the
// server rejects returns to the draft.
import type { ActionAttempt } from "../../kit/index.ts";
import type { AnswerSettings, ConversationActions, QueueEntry } from "../../data/types.ts";
import { EMPTY_DRAFT, toMessage } from "../draft/attachments.ts";
import { deliver } from "./deliver.ts";
import { drafts } from "../draft/drafts.ts";
import { outbox, type OutboxMessage } from "./outbox.ts";

/** Stops the answer and moves the queued messages back to the draft, because the user may want to change them. */
export async function stopChat(threadId: string, actions: ConversationActions, attempt: ActionAttempt): Promise<void> {
  await attempt.run(async () => {
    await actions.stop();
    const waiting = outbox.takeWaiting(threadId);
    drafts.restoreMessages(
      threadId,
      waiting.map(({ message }) => message),
    );
  });
}

export interface ComposerContext {
  threadId: string;
  actions: ConversationActions;
  attempt: ActionAttempt;
}

/** Sends the draft at once ("now"), after stopping the current answer ("steer"), or after its end ("follow-up"). */
export async function sendDraft(
  context: ComposerContext,
  answerSettings: AnswerSettings,
  timing: QueueEntry["mode"] | "now",
): Promise<void> {
  const { threadId, actions } = context;
  const message = toMessage(drafts.get(threadId));
  const stage = timing === "follow-up" ? "waiting" : "sending";
  // The message is stored in the outbox before the draft is cleared, so that a reload at any moment does not lose it.
  const item = outbox.add(threadId, { mode: "follow-up", message, answerSettings, stage });
  drafts.set(threadId, EMPTY_DRAFT);
  if (stage === "waiting") return;
  await deliverItem(context, item, timing === "steer" ? () => actions.stop() : undefined);
}

/** Sends a message of the outbox that is queued or has failed. Does nothing if the message is already being sent. */
export async function sendQueued(context: ComposerContext, id: string): Promise<void> {
  const item = outbox.get(context.threadId, id);
  if (item !== undefined && item.stage !== "sending") await deliverItem(context, item, undefined, true);
}

async function deliverItem(
  context: ComposerContext,
  item: OutboxMessage,
  before?: () => Promise<unknown>,
  isQueued = false,
): Promise<void> {
  const { threadId, actions, attempt } = context;
  const sendMessage: ConversationActions["sendMessage"] = async (message, options = {}) => {
    const { mode: _, ...rest } = options;
    await before?.();
    await actions.sendMessage(message, rest);
  };
  await attempt.run(() => deliver({ threadId, sendMessage, isQueued }, item));
}

/** Moves a message from the outbox to the draft. */
export function returnToDraft(threadId: string, id: string): void {
  const item = outbox.take(threadId, id);
  if (item !== undefined) drafts.restoreMessages(threadId, [item.message]);
}
