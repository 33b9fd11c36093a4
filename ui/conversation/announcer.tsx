// Tells those who listen when an answer begins and when it ends; not its words, which they read when they want to.
import { useEffect, useRef } from "react";
import { toast, VisuallyHidden } from "../kit/index.ts";
import type { ConversationState } from "../data/types.ts";
import { useCommands } from "./context.ts";

export function Announcer({ state }: { state: ConversationState }) {
  const { wasAsked } = useCommands();
  const region = useRef<HTMLSpanElement>(null);
  const before = useRef<ConversationState>(state);
  useEffect(() => {
    const news = newsOf(before.current, state);
    const unseen = unseenFailure(before.current, state, wasAsked);
    before.current = state;
    if (unseen !== undefined) toast(`There is no other answer. ${unseen}`, "error");
    if (news !== undefined && region.current !== null) region.current.textContent = news;
  }, [state, wasAsked]);
  return (
    <VisuallyHidden>
      <span ref={region} role="status" aria-live="polite" />
    </VisuallyHidden>
  );
}

/** What happened to the answers on their way between two states, in words. */
function newsOf(before: ConversationState, now: ConversationState): string | undefined {
  if (before.live === now.live) return undefined;
  const gone = before.live.find(({ runId }) => now.live.every((run) => run.runId !== runId));
  if (gone !== undefined) return endOf(gone.runId, now);
  const begun = now.live.find(({ runId }) => before.live.every((run) => run.runId !== runId));
  return begun === undefined ? undefined : `${begun.model ?? "The model"} is answering.`;
}

/** Why an answer did not come that was to stand in the place of another: that one is shown again, and says nothing of it. */
function unseenFailure(
  { failures }: ConversationState,
  now: ConversationState,
  wasAsked: (messageId: string) => boolean,
): string | undefined {
  if (failures === now.failures) return undefined;
  for (const [after, run] of now.failures) {
    const isNew = failures.get(after)?.id !== run.id && run.state === "failed";
    if (isNew && now.path.at(-1) !== after && wasAsked(after)) return run.error?.message ?? "";
  }
  return undefined;
}

function endOf(runId: string, { nodes, failures }: ConversationState): string {
  const failure = [...failures.values()].find(({ id }) => id === runId);
  if (failure !== undefined) return `There is no answer. ${failure.error?.message ?? ""}`.trim();
  const isCutOff = [...nodes.values()].some((node) => node.runId === runId && node.interrupted === true);
  return isCutOff ? "The answer was interrupted." : "The answer is complete.";
}
