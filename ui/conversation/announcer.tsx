// Tells those who listen when an answer begins and when it ends; not its words, which they read when they want to.
import { useEffect, useRef } from "react";
import { VisuallyHidden } from "../kit/index.ts";
import type { ConversationState } from "../data/types.ts";

export function Announcer({ state }: { state: ConversationState }) {
  const region = useRef<HTMLSpanElement>(null);
  const before = useRef<ConversationState>(state);
  useEffect(() => {
    const news = newsOf(before.current, state);
    before.current = state;
    if (news !== undefined && region.current !== null) region.current.textContent = news;
  }, [state]);
  return (
    <VisuallyHidden>
      <span ref={region} role="status" aria-live="polite" />
    </VisuallyHidden>
  );
}

/** What happened to the answers on their way between two states, in words. */
export function newsOf(before: ConversationState, now: ConversationState): string | undefined {
  if (before.live === now.live) return undefined;
  const gone = before.live.find(({ runId }) => now.live.every((run) => run.runId !== runId));
  if (gone !== undefined) return endOf(gone.runId, now);
  const begun = now.live.find(({ runId }) => before.live.every((run) => run.runId !== runId));
  return begun === undefined ? undefined : `${begun.model ?? "The model"} is answering.`;
}

function endOf(runId: string, { nodes, failures }: ConversationState): string {
  const failure = [...failures.values()].find(({ id }) => id === runId);
  if (failure !== undefined) return `There is no answer. ${failure.error?.message ?? ""}`.trim();
  const isCutOff = [...nodes.values()].some((node) => node.runId === runId && node.interrupted === true);
  return isCutOff ? "The answer was interrupted." : "The answer is complete.";
}
