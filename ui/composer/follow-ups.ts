// What waits to be said in a chat while an answer streams: when it may be said, and what is to be told of it. (What waits in
// a task is kept by the server.)
import type { ConversationState, LiveRun } from "../data/types.ts";
import type { Outgoing } from "./outbox.ts";

/** The answers on their way that the shown branch will end with. */
export function answering({ live, path }: Pick<ConversationState, "live" | "path">): readonly LiveRun[] {
  return live.filter(({ after, state }) => state !== "ended" && (after === null || path.includes(after)));
}

/**
 * Whether what waits may be said by itself: nothing is on its way, and the branch ends with a whole answer. After one that was
 * stopped or has failed, somebody has to say so.
 */
export function mayFollow(
  state: Pick<ConversationState, "live" | "path" | "nodes" | "status" | "connection">,
): boolean {
  if (state.status !== "ready" || state.connection !== "live" || state.live.length > 0) return false;
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  return leaf?.role === "assistant" && leaf.interrupted !== true;
}

/** The next to be said by itself: none overtakes one that failed, or is on its way. */
export function nextOf(list: readonly Outgoing[]): Outgoing | undefined {
  const [first] = list;
  return first?.stage === "waiting" ? first : undefined;
}

const BY_ITSELF = "Said by itself when this answer is there.";
const BY_HAND = "The last answer did not end as usual: say it when you like.";
const BEHIND = "Nothing more is said by itself until the one that was not sent is sent or taken back.";

/** When those are said that the list holds. */
export function whenSaid(list: readonly Outgoing[], willFollow: boolean): string {
  const waits = list.some(({ stage }) => stage === "waiting");
  if (!waits) return "";
  if (list.some(({ stage }) => stage === "failed")) return BEHIND;
  return willFollow ? BY_ITSELF : BY_HAND;
}

/**
 * The message at the end of the shown branch that nobody answers, though nothing went wrong that would be told beside it: it was
 * only appended, or nobody could be asked.
 */
export function unanswered(
  state: Pick<ConversationState, "live" | "path" | "nodes" | "status" | "failures">,
): string | undefined {
  const leaf = state.nodes.get(state.path.at(-1) ?? "");
  if (state.status !== "ready" || state.live.length > 0 || leaf === undefined) return undefined;
  if ((leaf.role !== "user" && leaf.role !== "tool") || state.failures.has(leaf.id)) return undefined;
  for (const { parentMessageId } of state.nodes.values()) if (parentMessageId === leaf.id) return undefined;
  return leaf.id;
}
