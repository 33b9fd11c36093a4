// Says what waits in a chat, one after the other, as soon as the answer before it is there.
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import type { ConversationState } from "../data/types.ts";
import { type Saying, sayWaiting } from "./chat-actions.ts";
import { followUps, mayFollow } from "./follow-ups.ts";

export function useFollowUps(saying: Saying, state: ConversationState): void {
  const { threadId, attempt } = saying;
  const next = useSyncExternalStore(followUps.subscribe, () => followUps.list(threadId)[0]);
  const leaf = state.path.at(-1);
  /** The end of the branch after which something was said: until it has grown, that is on its way. */
  const saidAfter = useRef<string>(undefined);
  const sayNext = useEffectEvent(() => {
    if (next === undefined || saidAfter.current === leaf) return;
    saidAfter.current = leaf;
    void sayWaiting(saying, next.id);
  });
  const isTime = next !== undefined && !attempt.busy && mayFollow(state);
  useEffect(() => {
    if (isTime) sayNext();
  }, [isTime, leaf]);
}
