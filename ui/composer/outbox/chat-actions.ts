// Actions of a chat's composer: sends the draft, queues it, or stops the answer. A rejected message returns to the
// draft.
import type { ActionAttempt } from "../../kit/index.ts";
import type { AnswerSettings, ConversationActions, QueueEntry } from "../../data/types.ts";
import { EMPTY_DRAFT, toMessage } from "../draft/attachments.ts";
import { deliver } from "./deliver.ts";
import { drafts } from "../draft/drafts.ts";
import { outbox, type OutboxMessage } from "./outbox.ts";

/** Stops the answer. Queued messages return to the draft, because the user may want to change them. */
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

/** Sends the draft: now, after stopping the current answer (steer), or after it (follow-up). */
export async function sendDraft(
  context: ComposerContext,
  answerSettings: AnswerSettings,
  timing: QueueEntry["mode"] | "now",
): Promise<void> {
  const { threadId, actions } = context;
  const message = toMessage(drafts.get(threadId));
  const stage = timing === "follow-up" ? "waiting" : "sending";
  // Stored in the outbox before the draft is cleared, so that a reload at any moment loses nothing.
  const item = outbox.add(threadId, { mode: "follow-up", message, answerSettings, stage });
  drafts.set(threadId, EMPTY_DRAFT);
  if (stage === "waiting") return;
  await deliverItem(context, item, timing === "steer" ? () => actions.stop() : undefined);
}

/** Sends a queued message, or retries a failed one. */
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

/** Removes a queued message and puts it into the draft. */
export function returnToDraft(threadId: string, id: string): void {
  const item = outbox.take(threadId, id);
  if (item !== undefined) drafts.restoreMessages(threadId, [item.message]);
}
