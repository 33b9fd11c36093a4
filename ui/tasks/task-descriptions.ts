// Returns sentences that describe the state of a task and the tool calls that wait for an approval.
import type { PendingApproval, TaskActivity } from "../data/types.ts";

export function describeTask({ state, approvals, queue, error, approval }: TaskActivity): string {
  switch (state) {
    case "idle":
      return approval === "ask" ? "Ready. Tools will wait for your approval." : "Ready.";
    case "running":
      return "Working…";
    case "waiting":
      return approvals.length === 1
        ? "Waiting for you: a tool call needs your approval."
        : `Waiting for you: ${approvals.length} tool calls need your approval.`;
    case "failed": {
      const reason = error === undefined ? "Failed." : `Failed (${error.code}): ${endWithPeriod(error.message)}`;
      const hint =
        queue.length === 0 ? "Send a message to continue." : "Send a message to continue; the queued messages follow.";
      return `${reason} ${hint}`;
    }
    case "cancelled":
      return "Stopped. Send a message to continue.";
  }
}

function endWithPeriod(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

/** Returns true if the last announcement to screen readers does not contain every call that waits for an approval. */
export function hasUnannouncedApproval(
  announced: readonly PendingApproval[],
  current: readonly PendingApproval[],
): boolean {
  return !includesAll(announced, current);
}

/**
 * Returns the sentence for screen readers that names all calls of `announced`. Returns "" once one of these calls is
 * decided: screen readers ignore removed text, but would read a sentence with fewer names as a new announcement.
 */
export function announceApprovals(announced: readonly PendingApproval[], current: readonly PendingApproval[]): string {
  if (announced.length === 0 || !includesAll(current, announced)) return "";
  const names = announced.map(({ toolName }) => toolName).join(", ");
  return announced.length === 1 ? `${names} waits for your approval.` : `${names} wait for your approval.`;
}

function includesAll(approvals: readonly PendingApproval[], included: readonly PendingApproval[]): boolean {
  const ids = new Set(approvals.map(({ toolCallId }) => toolCallId));
  return included.every(({ toolCallId }) => ids.has(toolCallId));
}
