// The states of a task as sentences.
import type { PendingApproval, TaskState } from "../data/types.ts";

export function describeTask({ state, approvals, queue, error, approval }: TaskState): string {
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
      const why = error === undefined ? "Failed." : `Failed (${error.code}): ${sentence(error.message)}`;
      const rest = queue.length === 0 ? "Say something to go on." : "Say something to go on; what is queued follows.";
      return `${why} ${rest}`;
    }
    case "cancelled":
      return "Stopped. Say something to go on.";
  }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

/** What is said of those that have come; what was said before stays as it is while some are decided. */
export function announcedApprovals(
  before: readonly PendingApproval[],
  now: readonly PendingApproval[],
  said: string,
): string {
  if (now.length === 0) return "";
  const known = new Set(before.map(({ toolCallId }) => toolCallId));
  const fresh = now.filter(({ toolCallId }) => !known.has(toolCallId));
  if (fresh.length === 0) return said;
  const names = fresh.map(({ toolName }) => toolName).join(", ");
  return fresh.length === 1 ? `${names} waits for your approval.` : `${names} wait for your approval.`;
}
