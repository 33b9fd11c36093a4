// Sets the title of the browser tab.
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

/** Sets the title of the tab to the name of the thread, after the prefix. */
export function TitledByThread({ id, prefix, children }: { id: string; prefix: string; children: ReactNode }) {
  return (
    <>
      <ThreadTitle id={id} prefix={prefix} />
      {children}
    </>
  );
}

/** Sets the title in a component of its own, so that updates of the conversation do not render the view again. */
function ThreadTitle({ id, prefix }: { id: string; prefix: string }) {
  const { state } = useConversation(id);
  usePageTitle(`${prefix}${formatThreadTitle(state)}`);
  return null;
}

function formatThreadTitle({ thread, nodes, status }: ConversationState): string {
  if (status === "missing") return "Not found";
  if (thread?.title) return thread.title;
  for (const { role, preview } of nodes.values()) if (role === "user" && preview !== "") return preview;
  return "Conversation";
}
