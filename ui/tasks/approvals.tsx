// Shows the tool calls that wait for an approval above the composer, so that the user can decide them at any scroll
// position.
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
  /**
   * Called after the user has decided the last call. The caller moves the focus, because the focused button disappears.
   */
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

/**
 * Delay of an announcement to screen readers: the calls of an answer arrive in separate events and are announced
 * together.
 */
const ANNOUNCEMENT_DELAY_MS = 250;

/**
 * Returns the announcement of all calls that wait for an approval. When a further call arrives, a new announcement
 * replaces it.
 */
function useApprovalAnnouncement(approvals: readonly PendingApproval[]): string {
  const [announced, setAnnounced] = useState<readonly PendingApproval[]>([]);
  const current = useRef(approvals);
  useEffect(() => {
    current.current = approvals;
  }, [approvals]);
  const isDue = hasUnannouncedApproval(announced, approvals);
  // A call may arrive after the timer has read `current` and before React renders its result. Then `isDue` stays true,
  // and only the changed `announced` makes the effect run again, so it is a dependency.
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
