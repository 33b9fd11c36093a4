// What one says something with: in a conversation, in a task, or to begin one.
import { useEffect, useRef } from "react";
import { useConversation } from "../data/hooks.ts";
import { ChatComposer } from "./chat-composer.tsx";
import styles from "./composer.module.css";
import { NewConversation } from "./new-conversation.tsx";
import { TaskComposer } from "./task-composer.tsx";
import { takeFocusWish } from "./focus-wish.ts";

export interface ComposerProps {
  /** Without one: begins a conversation, and goes there. */
  threadId?: string;
}

export function Composer({ threadId }: ComposerProps) {
  if (threadId === undefined) return <NewConversation />;
  // Another conversation has another draft, other errors, another choice of a model.
  return <ThreadComposer key={threadId} threadId={threadId} />;
}

function ThreadComposer({ threadId }: { threadId: string }) {
  const { state, actions } = useConversation(threadId);
  const place = useRef<HTMLElement>(null);
  const { status, thread, task } = state;
  const isReady = status === "ready" && thread !== undefined;
  useEffect(() => {
    if (isReady && takeFocusWish(threadId)) place.current?.querySelector("textarea")?.focus();
  }, [isReady, threadId]);
  if (!isReady) return null;
  return (
    <section ref={place} className={styles["composer"]} aria-label="Write">
      {task === undefined ? (
        <ChatComposer threadId={threadId} state={state} actions={actions} />
      ) : (
        <TaskComposer threadId={threadId} task={task} state={state} actions={actions} />
      )}
    </section>
  );
}
