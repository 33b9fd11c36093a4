// Follow-up messages of a chat, which wait for the current answer: when they may be sent, and the sentences that
// explain it. (The server keeps the queue of a task.)
import { readMessageKey } from "../../data/conversation/conversation-actions.ts";
import type { ConversationState, RunInProgress } from "../../data/types.ts";
import type { OutboxMessage } from "./outbox.ts";

/** Returns the runs under way on the shown branch. */
export function listAnsweringRuns({
  liveRuns,
  path,
}: Pick<ConversationState, "liveRuns" | "path">): readonly RunInProgress[] {
  return liveRuns.filter(
    ({ answeredId, state }) => state !== "ended" && (answeredId === null || path.includes(answeredId)),
  );
}

/**
 * True if the next follow-up may be sent automatically: no run is under way, and the branch ends with a complete
 * answer. After an interrupted or failed answer the user has to send it.
 */
export function canSendFollowUp(
  state: Pick<ConversationState, "liveRuns" | "path" | "nodes" | "status" | "connection">,
): boolean {
  if (state.status !== "ready" || state.connection !== "live" || state.liveRuns.length > 0) return false;
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  return leaf?.role === "assistant" && leaf.interrupted !== true;
}

/** Returns the next follow-up to send automatically: none passes one that failed or is being sent. */
export function findNextFollowUp(list: readonly OutboxMessage[]): OutboxMessage | undefined {
  const [first] = list;
  return first?.stage === "waiting" ? first : undefined;
}

/** A follow-up that was sent automatically, and the leaf of the shown branch at that moment. */
export interface SentFollowUp {
  id: string;
  leafId: string | undefined;
}

/**
 * Returns the follow-up to send after the current leaf. None while the last one is under way: its message is not in
 * the conversation yet, and the leaf has not changed. A message that another tab stored earlier leaves the leaf
 * unchanged, so the leaf alone does not tell.
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

/** Returns a sentence that states when the queued messages are sent. */
export function describeSendTime(list: readonly OutboxMessage[], isAutomatic: boolean): string {
  const hasWaiting = list.some(({ stage }) => stage === "waiting");
  if (!hasWaiting) return "";
  if (list.some(({ stage }) => stage === "failed")) return BLOCKED_BY_FAILURE;
  return isAutomatic ? SENT_AUTOMATICALLY : SENT_MANUALLY;
}

/**
 * Returns the message at the end of the shown branch that has no answer and no failure: it was only appended, or the
 * request for an answer failed.
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
