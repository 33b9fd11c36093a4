// The tool calls that wait for somebody, above the composer: wherever the conversation is scrolled to, they can be decided.
import type { ConversationActions, PendingApproval } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import { ApprovalBar } from "./approval-bar.tsx";
import styles from "./tasks.module.css";

export interface ApprovalsProps {
  approvals: readonly PendingApproval[];
  decide: ConversationActions["decide"];
}

export function Approvals({ approvals, decide }: ApprovalsProps) {
  return (
    <>
      <p role="alert" className={styles["spoken"]}>
        {announced(approvals)}
      </p>
      {approvals.map((approval) => (
        <section key={approval.toolCallId} className={styles["approval"]} aria-label={`${approval.toolName} waits`}>
          <p className={styles["note"]}>
            <Icon name="tool" size={16} />
            <strong className={styles["tool"]}>{approval.toolName}</strong> wants to run
          </p>
          <pre className={styles["arguments"]} tabIndex={0} aria-label="Arguments">
            {approval.argumentsText}
          </pre>
          <ApprovalBar
            approval={approval}
            onDecide={(approve, reason) => decide(approval.toolCallId, approve, reason)}
          />
        </section>
      ))}
    </>
  );
}

function announced(approvals: readonly PendingApproval[]): string {
  const names = approvals.map(({ toolName }) => toolName).join(", ");
  if (approvals.length === 0) return "";
  return approvals.length === 1 ? `${names} waits for your approval.` : `${names} wait for your approval.`;
}
