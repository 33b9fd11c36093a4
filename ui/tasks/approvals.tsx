// Pending tool calls above the composer, so that they can be decided at any scroll position. Their height is limited.
import { useState } from "react";
import type { ConversationActions, PendingApproval } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import { ApprovalBar } from "./approval-bar.tsx";
import styles from "./tasks.module.css";
import { announceApprovals } from "./task-descriptions.ts";

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

/** Returns the announcement of new approvals; those that keep waiting are not announced again. */
function useApprovalAnnouncement(approvals: readonly PendingApproval[]): string {
  const [announced, setAnnounced] = useState<{ approvals: readonly PendingApproval[]; text: string }>({
    approvals: [],
    text: "",
  });
  if (announced.approvals === approvals) return announced.text;
  const text = announceApprovals(announced.approvals, approvals, announced.text);
  // Setting state while rendering: React renders again with it before the commit.
  setAnnounced({ approvals, text });
  return text;
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
