// Determines when the follow-up messages of a chat are sent, which wait for the end of the current answer, and returns
// sentences that explain it. (The queue of a task is on the server.)
import { readMessageKey } from "../../data/conversation/conversation-actions.ts";
import type { ConversationState, RunInProgress } from "../../data/types.ts";
import type { OutboxMessage } from "./outbox.ts";

/** Returns the runs that have not ended and answer a message of the shown branch. */
export function listAnsweringRuns({
  liveRuns,
  path,
}: Pick<ConversationState, "liveRuns" | "path">): readonly RunInProgress[] {
  return liveRuns.filter(
    ({ answeredId, state }) => state !== "ended" && (answeredId === null || path.includes(answeredId)),
  );
}

/**
 * True if the next follow-up may be sent automatically: the thread is loaded and connected, no run is under way, and
 * the branch ends with a complete answer. After an interrupted or failed answer, the user has to send the follow-up.
 */
export function canSendFollowUp(
  state: Pick<ConversationState, "liveRuns" | "path" | "nodes" | "status" | "connection">,
): boolean {
  if (state.status !== "ready" || state.connection !== "live" || state.liveRuns.length > 0) return false;
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  return leaf?.role === "assistant" && leaf.interrupted !== true;
}

/**
 * Returns the first message of the outbox if its stage is "waiting". If it has failed or is being sent, returns
 * undefined: later messages must not overtake it.
 */
export function findNextFollowUp(list: readonly OutboxMessage[]): OutboxMessage | undefined {
  const [first] = list;
  return first?.stage === "waiting" ? first : undefined;
}

/** The follow-up that was last sent automatically, and the leaf of the shown branch when it was sent. */
export interface SentFollowUp {
  id: string;
  leafId: string | undefined;
}

/**
 * Returns the follow-up to send now; undefined while `lastSent` is not stored yet. It counts as stored if the leaf has
 * changed since, or if a loaded message has its idempotency key: a message that another tab had already stored does not
 * change the leaf.
 */
export function findSendableFollowUp(
  list: readonly OutboxMessage[],
  state: Parameters<typeof canSendFollowUp>[0] & Pick<ConversationState, "bodies">,
  lastSent: SentFollowUp | undefined,
): OutboxMessage | undefined {
  if (!canSendFollowUp(state)) return undefined;
  const isUnderWay =
    lastSent !== undefined &&
    lastSent.leafId === state.path.at(-1) &&
    ![...state.bodies.values()].some((message) => readMessageKey(message) === lastSent.id);
  return isUnderWay ? undefined : findNextFollowUp(list);
}

const SENT_AUTOMATICALLY = "Sent automatically after this answer.";
const SENT_MANUALLY = "The last answer was interrupted or failed. Send the message when you are ready.";
const BLOCKED_BY_FAILURE = "Automatic sending is paused until the failed message is sent again or removed.";

/** Returns a sentence that states when the queued messages are sent; "" if no message is waiting. */
export function describeSendTime(list: readonly OutboxMessage[], isAutomatic: boolean): string {
  const hasWaiting = list.some(({ stage }) => stage === "waiting");
  if (!hasWaiting) return "";
  if (list.some(({ stage }) => stage === "failed")) return BLOCKED_BY_FAILURE;
  return isAutomatic ? SENT_AUTOMATICALLY : SENT_MANUALLY;
}

/**
 * Returns the id of the shown branch's last message if it has no answer and none is under way: it is a user or tool
 * message without a child and without a failed run, and no run of the thread is live. Otherwise returns undefined.
 */
export function findUnansweredMessage(
  state: Pick<ConversationState, "liveRuns" | "path" | "nodes" | "status" | "failures">,
): string | undefined {
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  if (state.status !== "ready" || state.liveRuns.length > 0 || leaf === undefined) return undefined;
  if ((leaf.role !== "user" && leaf.role !== "tool") || state.failures.has(leaf.id)) return undefined;
  for (const { parentMessageId } of state.nodes.values()) if (parentMessageId === leaf.id) return undefined;
  return leaf.id;
}
