// What the tab is called.
import { useEffect, type ReactNode } from "react";
import { useConversation } from "../data/hooks.ts";
import type { ConversationState } from "../data/types.ts";

function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined || title === "" ? "Koine" : `${title} · Koine`;
  }, [title]);
}

export function Titled({ title, children }: { title?: string; children: ReactNode }) {
  usePageTitle(title);
  return children;
}

/** Called as the thread is. */
export function TitledByThread({ id, prefix, children }: { id: string; prefix: string; children: ReactNode }) {
  return (
    <>
      <ThreadTitle id={id} prefix={prefix} />
      {children}
    </>
  );
}

/** On its own, so that an answer that streams draws nothing but itself. */
function ThreadTitle({ id, prefix }: { id: string; prefix: string }) {
  const { state } = useConversation(id);
  usePageTitle(`${prefix}${titleOf(state)}`);
  return null;
}

function titleOf({ thread, nodes, status }: ConversationState): string {
  if (status === "missing") return "Not found";
  if (thread?.title) return thread.title;
  for (const { role, preview } of nodes.values()) if (role === "user" && preview !== "") return preview;
  return "Conversation";
}
