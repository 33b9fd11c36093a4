// What a chat's composer does: says something, lets it wait, stops. What could not be said stands in the draft again.
import type { Attempt } from "../kit/index.ts";
import type { AskSettings, ConversationActions, QueuedMessage } from "../data/types.ts";
import { EMPTY_DRAFT, messageOf } from "./attachments.ts";
import { deliver } from "./deliver.ts";
import { drafts } from "./drafts.ts";
import { outbox, type Outgoing } from "./outbox.ts";

/** What waits comes back into the field: whoever stops an answer may want to say something else. */
export async function stopChat(threadId: string, actions: ConversationActions, attempt: Attempt): Promise<void> {
  await attempt.run(async () => {
    await actions.stop();
    const waiting = outbox.takeWaiting(threadId);
    drafts.giveBack(
      threadId,
      waiting.map(({ message }) => message),
    );
  });
}

export interface Saying {
  threadId: string;
  actions: ConversationActions;
  attempt: Attempt;
}

/** Says what stands in the draft: now, in the place of the answer on its way, or after it. */
export async function send(saying: Saying, ask: AskSettings, how: QueuedMessage["mode"] | "now"): Promise<void> {
  const { threadId, actions } = saying;
  const message = messageOf(drafts.get(threadId));
  const stage = how === "follow-up" ? "waiting" : "sending";
  // First kept there, then gone here: it is on the shelf at every moment.
  const item = outbox.add(threadId, { mode: "follow-up", message, ask, stage });
  drafts.set(threadId, EMPTY_DRAFT);
  if (stage === "waiting") return;
  await bring(saying, item, how === "steer" ? () => actions.stop() : undefined);
}

/** Says one of those that wait, or tries one again. */
export async function sayWaiting(saying: Saying, id: string): Promise<void> {
  const item = outbox.get(saying.threadId, id);
  if (item !== undefined && item.stage !== "sending") await bring(saying, item, undefined, true);
}

async function bring(saying: Saying, item: Outgoing, before?: () => Promise<unknown>, stays = false): Promise<void> {
  const { threadId, actions, attempt } = saying;
  const say: ConversationActions["say"] = async (message, how = {}) => {
    const { mode: _, ...ask } = how;
    await before?.();
    await actions.say(message, ask);
  };
  await attempt.run(() => deliver({ threadId, say, stays }, item));
}

/** One of those that wait is written anew. */
export function takeBack(threadId: string, id: string): void {
  const taken = outbox.take(threadId, id);
  if (taken !== undefined) drafts.giveBack(threadId, [taken.message]);
}
