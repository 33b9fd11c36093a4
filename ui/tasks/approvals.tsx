// The tool calls that wait for somebody, above the composer: wherever the conversation is scrolled to, they can be decided.
// However many they are, they leave room for the conversation and the composer.
import { useState } from "react";
import type { ConversationActions, PendingApproval } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import { ApprovalBar } from "./approval-bar.tsx";
import styles from "./tasks.module.css";
import { announcedApprovals } from "./task-words.ts";

export interface ApprovalsProps {
  approvals: readonly PendingApproval[];
  decide: ConversationActions["decide"];
  /** The last of them is decided: the button that had the focus is about to go. */
  onDecided: () => void;
}

export function Approvals({ approvals, decide, onDecided }: ApprovalsProps) {
  const isLast = approvals.length === 1;
  return (
    <>
      <p role="alert" className={styles["spoken"]}>
        {useNews(approvals)}
      </p>
      {approvals.length > 0 && (
        <div className={styles["approvals"]} role="group" aria-label="Waiting for approval" tabIndex={-1}>
          {approvals.map((approval) => (
            <Waiting
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

/** What has come since: those that go on waiting while others are decided are not told of again. */
function useNews(approvals: readonly PendingApproval[]): string {
  const [told, setTold] = useState<{ of: readonly PendingApproval[]; words: string }>({ of: [], words: "" });
  if (told.of === approvals) return told.words;
  const words = announcedApprovals(told.of, approvals, told.words);
  // Of this rendering already.
  setTold({ of: approvals, words });
  return words;
}

interface WaitingProps {
  approval: PendingApproval;
  onDecide: (approve: boolean, reason?: string) => Promise<void>;
}

function Waiting({ approval, onDecide }: WaitingProps) {
  const { toolName, argumentsText } = approval;
  return (
    <section className={styles["approval"]} aria-label={`${toolName} waits`}>
      <p className={styles["note"]}>
        <Icon name="tool" size={16} />
        <strong className={styles["tool"]}>{toolName}</strong> wants to run
      </p>
      <pre className={styles["arguments"]} tabIndex={0} aria-label="Arguments">
        {argumentsText}
      </pre>
      <ApprovalBar approval={approval} onDecide={onDecide} />
    </section>
  );
}
