// Announces the start and the end of an answer to screen readers. The text of the answer is not announced.
import { useEffect, useRef } from "react";
import { toast, VisuallyHidden } from "../kit/index.ts";
import type { ConversationState } from "../data/types.ts";
import { useCommands } from "./rows/row-commands.ts";

export function Announcer({ state }: { state: ConversationState }) {
  const { wasAnswerRequested } = useCommands();
  const region = useRef<HTMLSpanElement>(null);
  const previousState = useRef<ConversationState>(state);
  useEffect(() => {
    const announcement = describeRunChange(previousState.current, state);
    const hiddenFailure = findHiddenFailure(previousState.current, state, wasAnswerRequested);
    previousState.current = state;
    if (hiddenFailure !== undefined) toast(`The new answer failed. ${hiddenFailure}`, "error");
    if (announcement !== undefined && region.current !== null) region.current.textContent = announcement;
  }, [state, wasAnswerRequested]);
  return (
    <VisuallyHidden>
      <span ref={region} role="status" aria-live="polite" />
    </VisuallyHidden>
  );
}

/** Returns a sentence about the run that ended or started between two states; undefined if no run did. */
function describeRunChange(previous: ConversationState, current: ConversationState): string | undefined {
  if (previous.liveRuns === current.liveRuns) return undefined;
  const ended = previous.liveRuns.find(({ runId }) => current.liveRuns.every((run) => run.runId !== runId));
  if (ended !== undefined) return describeRunEnd(ended.runId, current);
  const started = current.liveRuns.find(({ runId }) => previous.liveRuns.every((run) => run.runId !== runId));
  return started === undefined ? undefined : `${started.model ?? "The model"} is answering.`;
}

/**
 * Returns the error message of a regeneration that has failed since the previous state; undefined if there is none. The
 * caller shows it as a toast, because the view shows the previous answer again, without the failure.
 */
function findHiddenFailure(
  { failures }: ConversationState,
  current: ConversationState,
  wasAnswerRequested: (messageId: string) => boolean,
): string | undefined {
  if (failures === current.failures) return undefined;
  for (const [answeredId, run] of current.failures) {
    const isNew = failures.get(answeredId)?.id !== run.id && run.state === "failed";
    if (isNew && current.path.at(-1) !== answeredId && wasAnswerRequested(answeredId)) return run.error?.message ?? "";
  }
  return undefined;
}

function describeRunEnd(runId: string, { nodes, failures }: ConversationState): string {
  const failure = [...failures.values()].find(({ id }) => id === runId);
  if (failure !== undefined) return `The answer failed. ${failure.error?.message ?? ""}`.trim();
  const isCutOff = [...nodes.values()].some((node) => node.runId === runId && node.interrupted === true);
  return isCutOff ? "The answer was interrupted." : "The answer is complete.";
}
