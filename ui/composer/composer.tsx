// Shows the composer at the bottom of a conversation: `ChatComposer` for a chat, `TaskComposer` for a task.
import { useEffect, useMemo, useRef } from "react";
import { useConversation } from "../data/hooks.ts";
import type { ConversationActions } from "../data/types.ts";
import { ChatComposer } from "./chat-composer.tsx";
import styles from "./composer.module.css";
import { TaskComposer } from "./task-composer.tsx";
import { takePendingFocus } from "./start/pending-focus.ts";

export interface ComposerProps {
  threadId: string;
  /** Called when the server has stored a message of this composer. */
  onStored?: () => void;
}

export function Composer({ threadId, onStored }: ComposerProps) {
  // The key makes React create a new composer for each conversation, without errors and model choice of the previous
  // one.
  return <ThreadComposer key={threadId} threadId={threadId} onStored={onStored} />;
}

function ThreadComposer({ threadId, onStored }: { threadId: string; onStored: (() => void) | undefined }) {
  const { state, actions: baseActions } = useConversation(threadId);
  const actions = useObservedActions(baseActions, onStored);
  const section = useRef<HTMLElement>(null);
  const { status, thread, task } = state;
  const isReady = status === "ready" && thread !== undefined;
  useEffect(() => {
    if (isReady && takePendingFocus(threadId)) section.current?.querySelector("textarea")?.focus();
  }, [isReady, threadId]);
  if (!isReady) return null;
  return (
    <section ref={section} className={styles["composer"]} aria-label="Write">
      {task === undefined ? (
        <ChatComposer threadId={threadId} state={state} actions={actions} />
      ) : (
        <TaskComposer threadId={threadId} task={task} state={state} actions={actions} />
      )}
    </section>
  );
}

/** Returns the actions with a `sendMessage` that also calls `onStored` when the server has stored the message. */
function useObservedActions(actions: ConversationActions, onStored: (() => void) | undefined): ConversationActions {
  const onStoredRef = useRef(onStored);
  useEffect(() => void (onStoredRef.current = onStored));
  return useMemo(() => {
    const sendMessage: ConversationActions["sendMessage"] = (message, options) => {
      const notifyStored = (): void => {
        options?.onStored?.();
        onStoredRef.current?.();
      };
      return actions.sendMessage(message, { ...options, onStored: notifyStored });
    };
    return { ...actions, sendMessage };
  }, [actions]);
}
