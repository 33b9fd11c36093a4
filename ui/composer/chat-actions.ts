// What a chat's composer does: says something, lets it wait, stops. What could not be said stands in the draft again.
import { sameJson } from "koine";
import type { AskSettings, ConversationActions, ConversationState, QueuedMessage } from "../data/types.ts";
import { messageOf } from "./attachments.ts";
import { drafts } from "./drafts.ts";
import { type FollowUp, followUps } from "./follow-ups.ts";
import type { Attempt } from "../kit/use-attempt.ts";

/** The conversation as it is by the time it is looked at. */
type Latest = Readonly<{ current: ConversationState }>;

/** What waits comes back into the field: whoever stops an answer may want to say something else. */
export async function stopChat(threadId: string, actions: ConversationActions, attempt: Attempt): Promise<void> {
  await attempt.run(async () => {
    await actions.stop();
    const waiting = followUps.takeAll(threadId);
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
  latest: Latest;
}

/** Says what stands in the draft: now, in the place of the answer on its way, or after it. */
export async function send(saying: Saying, ask: AskSettings, how: QueuedMessage["mode"] | "now"): Promise<void> {
  const { threadId } = saying;
  const message = messageOf(drafts.take(threadId));
  if (how === "follow-up") followUps.add(threadId, message, ask);
  else await say(saying, { message, ask }, how === "steer");
  drafts.settle(threadId);
}

/** Says one of those that wait; it does not wait any more, whatever becomes of it. */
export async function sayWaiting(saying: Saying, id: string): Promise<void> {
  const followUp = followUps.take(saying.threadId, id);
  if (followUp !== undefined) await say(saying, followUp, false);
}

/** One of those that wait is written anew. */
export function takeBack(threadId: string, id: string): void {
  const followUp = followUps.take(threadId, id);
  if (followUp !== undefined) drafts.giveBack(threadId, [followUp.message]);
}

async function say(saying: Saying, words: Pick<FollowUp, "message" | "ask">, isSteering: boolean): Promise<void> {
  const { threadId, actions, attempt, latest } = saying;
  const { message, ask } = words;
  const end = endOf(latest);
  const isSaid = await attempt.run(async () => {
    if (isSteering) await actions.stop();
    await actions.say(message, ask);
  });
  if (isSaid) return;
  await new Promise((resolve) => setTimeout(resolve, SHOWN_MS));
  // It may stand in the conversation by now, though nobody could be asked: then it is not to be said again.
  const last = latest.current.bodies.get(endOf(latest));
  const isThere = last !== undefined && last.id !== end && sameJson(last.parts, message.parts);
  if (!isThere) drafts.giveBack(threadId, [message]);
}

/** How long it may take until the conversation shows what was said. */
const SHOWN_MS = 100;

function endOf({ current }: Latest): string {
  return current.path.at(-1) ?? "";
}
