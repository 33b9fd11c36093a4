// What one says something with: in a conversation, or to a task.
import { useEffect, useMemo, useRef } from "react";
import { useConversation } from "../data/hooks.ts";
import type { ConversationActions } from "../data/types.ts";
import { ChatComposer } from "./chat-composer.tsx";
import styles from "./composer.module.css";
import { TaskComposer } from "./task-composer.tsx";
import { takeFocusWish } from "./focus-wish.ts";

export interface ComposerProps {
  threadId: string;
  /** Told when something that was written here stands in the conversation. */
  onSaid?: () => void;
}

export function Composer({ threadId, onSaid }: ComposerProps) {
  // Another conversation has another draft, other errors, another choice of a model.
  return <ThreadComposer key={threadId} threadId={threadId} onSaid={onSaid} />;
}

function ThreadComposer({ threadId, onSaid }: { threadId: string; onSaid: (() => void) | undefined }) {
  const { state, actions: plain } = useConversation(threadId);
  const actions = useToldActions(plain, onSaid);
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

/** The same actions, of which saying something is told. */
function useToldActions(actions: ConversationActions, onSaid: (() => void) | undefined): ConversationActions {
  const tell = useRef(onSaid);
  useEffect(() => void (tell.current = onSaid));
  return useMemo(() => {
    const say: ConversationActions["say"] = (message, how) => {
      const told = (): void => {
        how?.onSaid?.();
        tell.current?.();
      };
      return actions.say(message, { ...how, onSaid: told });
    };
    return { ...actions, say };
  }, [actions]);
}
