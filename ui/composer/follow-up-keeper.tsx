// Says what waits in a chat, one after the other, as soon as the answer before it is there: also while another view is shown,
// which is why it stands in a tree of its own, beside the page's.
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { useConversation } from "../data/hooks.ts";
import { toast } from "../kit/index.ts";
import { sayWaiting } from "./chat-actions.ts";
import { followUps, mayFollow } from "./follow-ups.ts";
import { useAttempt } from "../kit/use-attempt.ts";
import { useLatest } from "./use-latest.ts";

const kept = new Set<string>();

/** Sees to what waits in a thread, until nothing does, or nothing will be said by itself. */
export function keepFollowUps(threadId: string): void {
  if (kept.has(threadId) || followUps.list(threadId).length === 0) return;
  kept.add(threadId);
  const root = createRoot(document.createElement("div"));
  const leave = (): void => {
    kept.delete(threadId);
    // Not in the middle of its own rendering.
    setTimeout(() => root.unmount());
  };
  root.render(<Keeper threadId={threadId} onOver={leave} />);
}

function Keeper({ threadId, onOver }: { threadId: string; onOver: () => void }) {
  const { state, actions } = useConversation(threadId);
  const attempt = useAttempt();
  const latest = useLatest(state);
  const next = useSyncExternalStore(followUps.subscribe, () => followUps.list(threadId)[0]);
  const leaf = state.path.at(-1);
  /** The end of the branch after which something was said: until it has grown, that is on its way. */
  const saidAfter = useRef<string>(undefined);
  const sayNext = useEffectEvent(() => {
    if (next === undefined || saidAfter.current === leaf) return;
    saidAfter.current = leaf;
    void sayWaiting({ threadId, actions, attempt, latest }, next.id);
  });
  const leave = useEffectEvent(onOver);
  const { busy, error } = attempt;
  const isTime = next !== undefined && !busy && mayFollow(state);
  const isOver = next === undefined && !busy;
  const isStuck = !busy && state.live.length === 0 && !mayFollow(state);
  useEffect(() => {
    if (isTime) sayNext();
  }, [isTime, leaf]);
  useEffect(() => {
    if (error !== undefined) toast(`What waited was not said: ${error}`, "error");
    if (isOver) leave();
  }, [isOver, error]);
  useEffect(() => {
    if (!isStuck) return;
    const timer = setTimeout(() => leave(), STUCK_MS);
    return () => clearTimeout(timer);
  }, [isStuck]);
  return null;
}

/** After an answer that was broken off somebody has to go on; a connection is not held for so long. */
const STUCK_MS = 10_000;
