// Says what waits in a chat, one after the other, as soon as the answer before it is there.
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import type { ConversationActions, ConversationState } from "../data/types.ts";
import { drafts } from "./drafts.ts";
import { followUps, mayFollow } from "./follow-ups.ts";
import type { Attempt } from "./use-attempt.ts";

interface FollowUpOptions {
  threadId: string;
  state: ConversationState;
  actions: ConversationActions;
  attempt: Attempt;
}

export function useFollowUps({ threadId, state, actions, attempt }: FollowUpOptions): void {
  const waits = useSyncExternalStore(followUps.subscribe, () => followUps.list(threadId).length > 0);
  const leaf = state.path.at(-1);
  /** The end of the branch after which something was said: until it has grown, that is on its way. */
  const saidAfter = useRef<string>(undefined);
  const sayNext = useEffectEvent(async () => {
    const [next] = followUps.list(threadId);
    if (next === undefined || saidAfter.current === leaf) return;
    saidAfter.current = leaf;
    followUps.take(threadId, next.id);
    const isSaid = await attempt.run(() => actions.say(next.message, next.ask));
    if (!isSaid) drafts.giveBack(threadId, [next.message]);
  });
  const isTime = waits && !attempt.busy && mayFollow(state);
  useEffect(() => {
    if (isTime) void sayNext();
  }, [isTime, leaf]);
}
