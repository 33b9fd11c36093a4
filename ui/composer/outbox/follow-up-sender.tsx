// Sends the queued follow-ups of a chat, each after the previous answer is complete. The sender runs in its own React
// root, so that it continues while another view is shown. If several tabs have the same outbox (after the user has
// duplicated a tab), only one of them sends.
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
 * Starts the sender of a thread, unless it already runs or the first message of the outbox is not waiting. The sender
 * ends when the first message is no longer a waiting one, or after `BLOCKED_TIMEOUT_MS` in which it may not send.
 */
export function startFollowUpSender(threadId: string): void {
  if (activeThreads.has(threadId) || findNextFollowUp(outbox.list(threadId)) === undefined) return;
  activeThreads.add(threadId);
  void withTabLock(`koine.follow-ups.${threadId}`, () => runFollowUpSender(threadId)).finally(() =>
    activeThreads.delete(threadId),
  );
}

/**
 * Runs the work in one tab at a time; other tabs wait. Without the Web Locks API, several tabs may send the same
 * message, and only its idempotency key prevents that it is stored twice.
 */
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
    // The unmount is delayed, because React must not unmount a root while it renders that root.
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
    // The outbox is read again here, because `removeStored` may have removed the message since the last render.
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

/**
 * Time after which the sender ends if no run is live and no follow-up may be sent (`canSendFollowUp`), for example
 * because the last answer was interrupted; then the user has to send the next message.
 */
const BLOCKED_TIMEOUT_MS = 10_000;
