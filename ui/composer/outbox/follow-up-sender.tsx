// Sends queued follow-ups of a chat, one after another, when the answer before each is complete. Runs in a React root
// of its own, so that it continues while another view is shown. Of several tabs with the same outbox (a duplicated
// tab), one sends.
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { keepConnectionsOpen } from "../../data/effects.ts";
import { useConversation } from "../../data/hooks.ts";
import { toast, useAttempt } from "../../kit/index.ts";
import { sendQueued } from "./chat-actions.ts";
import { canSendFollowUp, findNextFollowUp, findSendableFollowUp, type SentFollowUp } from "./follow-ups.ts";
import { outbox } from "./outbox.ts";

const activeThreads = new Set<string>();

/**
 * Starts the sender of a thread, unless it runs or nothing is queued; it ends when nothing is left to send
 * automatically.
 */
export function startFollowUpSender(threadId: string): void {
  if (activeThreads.has(threadId) || findNextFollowUp(outbox.list(threadId)) === undefined) return;
  activeThreads.add(threadId);
  void withTabLock(`koine.follow-ups.${threadId}`, () => runFollowUpSender(threadId)).finally(() =>
    activeThreads.delete(threadId),
  );
}

/** Runs the work in one tab at a time. Without the Web Locks API, the idempotency keys alone prevent duplicates. */
async function withTabLock(name: string, work: () => Promise<void>): Promise<void> {
  // The Web Locks API exists only in secure contexts, although its type is not optional.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return work();
  await locks.request(name, work);
}

function runFollowUpSender(threadId: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const root = createRoot(document.createElement("div"));
  const releaseConnections = keepConnectionsOpen();
  const finish = (): void => {
    releaseConnections();
    resolve();
    // Delayed: React must not unmount a root during its own rendering.
    setTimeout(() => root.unmount());
  };
  root.render(<FollowUpSender threadId={threadId} onOver={finish} />);
  return promise;
}

function FollowUpSender({ threadId, onOver: onDone }: { threadId: string; onOver: () => void }) {
  const { state, actions } = useConversation(threadId);
  const attempt = useAttempt();
  const next = useSyncExternalStore(outbox.subscribe, () => findNextFollowUp(outbox.list(threadId)));
  const leafId = state.path.at(-1);
  const { bodies } = state;
  const lastSent = useRef<SentFollowUp>(undefined);
  const sendNext = useEffectEvent(() => {
    // Read again: `removeStored` may have removed `next` since this rendering.
    const item = findSendableFollowUp(outbox.list(threadId), state, lastSent.current);
    if (item === undefined) return;
    lastSent.current = { id: item.id, leafId };
    void sendQueued({ threadId, actions, attempt }, item.id);
  });
  const finish = useEffectEvent(onDone);
  const { busy, error } = attempt;
  const canSend = next !== undefined && !busy && canSendFollowUp(state);
  const isDone = next === undefined && !busy;
  const isBlocked = !busy && state.liveRuns.length === 0 && !canSendFollowUp(state);
  useEffect(() => outbox.removeStored(threadId, { bodies }), [threadId, bodies]);
  useEffect(() => {
    if (canSend) sendNext();
  }, [canSend, leafId, bodies, next?.id]);
  useEffect(() => {
    if (error !== undefined) toast(`A queued message was not sent: ${error}`, "error");
    if (isDone) finish();
  }, [isDone, error]);
  useEffect(() => {
    if (!isBlocked) return;
    const timer = setTimeout(() => finish(), BLOCKED_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [isBlocked]);
  return null;
}

/** After an interrupted answer the user has to act; the connection is not held open longer than this. */
const BLOCKED_TIMEOUT_MS = 10_000;
