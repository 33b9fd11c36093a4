// Shows the approve and deny buttons of a tool call that waits for an approval. The user may state a reason for a
// denial, which the model receives.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { PendingApproval } from "../data/types.ts";
import { Button, ErrorMessage, type ActionAttempt, useAttempt } from "../kit/index.ts";
import styles from "./tasks.module.css";

export interface ApprovalBarProps {
  approval: PendingApproval;
  onDecide: (approve: boolean, reason?: string) => Promise<void>;
}

/** Shows only the buttons; the caller shows the tool call beside them. */
export function ApprovalBar({ approval, onDecide }: ApprovalBarProps) {
  const [denying, setDenying] = useState(false);
  const denyButton = useRef<HTMLButtonElement>(null);
  const attempt = useAttempt();
  const { toolName } = approval;
  const decide = (approve: boolean, reason?: string): void =>
    void attempt.run(() => (reason === undefined ? onDecide(approve) : onDecide(approve, reason)));
  const closeDenyForm = (): void => {
    flushSync(() => setDenying(false));
    denyButton.current?.focus();
  };
  return (
    <div className={styles["decision"]} role="group" aria-label={`Allow ${toolName}?`}>
      {denying ? (
        <DenyForm attempt={attempt} onDeny={(reason) => decide(false, reason)} onBack={closeDenyForm} />
      ) : (
        <p className={styles["buttons"]}>
          <Button variant="primary" small icon="check" busy={attempt.busy} onClick={() => decide(true)}>
            Approve
          </Button>
          <Button
            ref={denyButton}
            variant="danger"
            small
            icon="close"
            aria-disabled={attempt.busy || undefined}
            onClick={() => attempt.busy || setDenying(true)}
          >
            Deny
          </Button>
          <span className={styles["asked"]}>The tool runs only after you approve.</span>
        </p>
      )}
      {attempt.error !== undefined && <ErrorMessage>{attempt.error}</ErrorMessage>}
    </div>
  );
}

interface DenyFormProps {
  attempt: ActionAttempt;
  onDeny: (reason: string | undefined) => void;
  onBack: () => void;
}

function DenyForm({ attempt, onDeny, onBack }: DenyFormProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (attempt.busy) return;
    onDeny(reason.trim() === "" ? undefined : reason.trim());
  };
  return (
    <form
      className={styles["buttons"]}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onBack();
      }}
    >
      <input
        ref={field}
        aria-label="Reason, sent to the model"
        placeholder="Reason (optional, sent to the model)"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button type="submit" variant="danger" small busy={attempt.busy}>
        Deny
      </Button>
      <Button small onClick={onBack}>
        Back
      </Button>
    </form>
  );
}
