// Says what waits in a chat, one after the other, as soon as the answer before it is there: also while another view is shown,
// or none, which is why it stands in a tree of its own, beside the page's. Of several tabs that hold the same words (one was
// duplicated), one says them.
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { stayAwake } from "../data/effects.ts";
import { useConversation } from "../data/hooks.ts";
import { toast, useAttempt } from "../kit/index.ts";
import { sayWaiting } from "./chat-actions.ts";
import { mayFollow, nextOf } from "./follow-ups.ts";
import { outbox } from "./outbox.ts";

const kept = new Set<string>();

/** Sees to what waits in a thread, until nothing does, or nothing will be said by itself. */
export function keepFollowUps(threadId: string): void {
  if (kept.has(threadId) || nextOf(outbox.list(threadId)) === undefined) return;
  kept.add(threadId);
  void alone(`koine.follow-ups.${threadId}`, () => keeping(threadId)).finally(() => kept.delete(threadId));
}

/** One tab of the browser at a time; where it has no locks for a page, the keys alone see to it that nothing is said twice. */
async function alone(name: string, work: () => Promise<void>): Promise<void> {
  // Only there where the connection is secure, whatever the types say.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return work();
  await locks.request(name, work);
}

function keeping(threadId: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const root = createRoot(document.createElement("div"));
  const sleep = stayAwake();
  const leave = (): void => {
    sleep();
    resolve();
    // Not in the middle of its own rendering.
    setTimeout(() => root.unmount());
  };
  root.render(<Keeper threadId={threadId} onOver={leave} />);
  return promise;
}

function Keeper({ threadId, onOver }: { threadId: string; onOver: () => void }) {
  const { state, actions } = useConversation(threadId);
  const attempt = useAttempt();
  const next = useSyncExternalStore(outbox.subscribe, () => nextOf(outbox.list(threadId)));
  const leaf = state.path.at(-1);
  const { bodies } = state;
  /** The end of the branch after which something was said: until it has grown, that is on its way. */
  const saidAfter = useRef<string>(undefined);
  const sayNext = useEffectEvent(() => {
    if (next === undefined || saidAfter.current === leaf) return;
    saidAfter.current = leaf;
    void sayWaiting({ threadId, actions, attempt }, next.id);
  });
  const leave = useEffectEvent(onOver);
  const { busy, error } = attempt;
  const isTime = next !== undefined && !busy && mayFollow(state);
  const isOver = next === undefined && !busy;
  const isStuck = !busy && state.live.length === 0 && !mayFollow(state);
  useEffect(() => outbox.settle(threadId, { bodies }), [threadId, bodies]);
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
