// Pending tool calls above the composer, so that they can be decided at any scroll position. Their height is limited.
import { useEffect, useRef, useState } from "react";
import { delay } from "../data/effects.ts";
import type { ConversationActions, PendingApproval } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import { ApprovalBar } from "./approval-bar.tsx";
import styles from "./tasks.module.css";
import { announceApprovals, hasUnannouncedApproval } from "./task-descriptions.ts";

export interface ApprovalsProps {
  approvals: readonly PendingApproval[];
  decide: ConversationActions["decideToolCall"];
  /** Called after the last decision: the focused button is about to disappear. */
  onDecided: () => void;
}

export function Approvals({ approvals, decide, onDecided }: ApprovalsProps) {
  const isLast = approvals.length === 1;
  return (
    <>
      <p role="alert" className={styles["spoken"]}>
        {useApprovalAnnouncement(approvals)}
      </p>
      {approvals.length > 0 && (
        <div className={styles["approvals"]} role="group" aria-label="Waiting for approval" tabIndex={-1}>
          {approvals.map((approval) => (
            <ApprovalCard
              key={approval.toolCallId}
              approval={approval}
              onDecide={async (approve, reason) => {
                await decide(approval.toolCallId, approve, reason);
                if (isLast) onDecided();
              }}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** The calls of one answer arrive in separate events; those within this time are announced in one sentence. */
const ANNOUNCEMENT_DELAY_MS = 250;

/** Returns the announcement of all waiting calls, which is replaced when a further call waits. */
function useApprovalAnnouncement(approvals: readonly PendingApproval[]): string {
  const [announced, setAnnounced] = useState<readonly PendingApproval[]>([]);
  const current = useRef(approvals);
  useEffect(() => {
    current.current = approvals;
  }, [approvals]);
  const isDue = hasUnannouncedApproval(announced, approvals);
  // `announced` restarts the delay for a call that arrives in the render that shows an announcement without it.
  useEffect(
    () => (isDue ? delay(() => setAnnounced(current.current), ANNOUNCEMENT_DELAY_MS) : undefined),
    [isDue, announced],
  );
  return announceApprovals(announced, approvals);
}

interface ApprovalCardProps {
  approval: PendingApproval;
  onDecide: (approve: boolean, reason?: string) => Promise<void>;
}

function ApprovalCard({ approval, onDecide }: ApprovalCardProps) {
  const { toolName, argumentsText } = approval;
  return (
    <section className={styles["approval"]} aria-label={`${toolName} needs approval`}>
      <p className={styles["note"]}>
        <Icon name="tool" size={16} />
        <strong className={styles["tool"]}>{toolName}</strong> needs your approval
      </p>
      <pre className={styles["arguments"]} tabIndex={0} aria-label="Arguments">
        {argumentsText}
      </pre>
      <ApprovalBar approval={approval} onDecide={onDecide} />
    </section>
  );
}
