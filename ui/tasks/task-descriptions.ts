// Sentences that describe the state of a task and its pending approvals.
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

/** Returns the screen reader announcement of new approvals; the last one stays while others are decided. */
export function announceApprovals(
  previous: readonly PendingApproval[],
  current: readonly PendingApproval[],
  lastAnnouncement: string,
): string {
  if (current.length === 0) return "";
  const previousIds = new Set(previous.map(({ toolCallId }) => toolCallId));
  const added = current.filter(({ toolCallId }) => !previousIds.has(toolCallId));
  if (added.length === 0) return lastAnnouncement;
  const names = added.map(({ toolName }) => toolName).join(", ");
  return added.length === 1 ? `${names} waits for your approval.` : `${names} wait for your approval.`;
}
