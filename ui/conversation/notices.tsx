// Notices above the composer: another branch than the active one is shown, or an open editor belongs to a branch that
// is not shown.
import type { StoredMessage } from "koine";
import { Button } from "../kit/index.ts";
import { useCommands } from "./rows/row-commands.ts";
import { EditForm } from "./rows/edit-form.tsx";
import styles from "./notices.module.css";

export interface BranchNoticeProps {
  onActivate: () => void;
  onShowActive: () => void;
}

export function BranchNotice({ onActivate, onShowActive }: BranchNoticeProps) {
  return (
    <div className={styles["notice"]} role="status">
      <p>You are viewing an inactive branch. New messages go to the active branch.</p>
      <span className={styles["buttons"]}>
        <Button small onClick={onShowActive}>
          Show the active branch
        </Button>
        <Button small icon="branch" variant="primary" onClick={onActivate}>
          Make this branch active
        </Button>
      </span>
    </div>
  );
}

/** Keeps the editor of a message visible after another client has switched the branch. */
export function HiddenEdit({ message }: { message: StoredMessage }) {
  const { showMessage } = useCommands();
  return (
    <section className={styles["stray"]} aria-label="Edit of another branch">
      <div className={styles["notice"]} role="status">
        <p>The conversation went on in another branch. The message that you are editing is not shown there.</p>
        <Button small icon="branch" onClick={() => showMessage(message.id)}>
          Show its branch
        </Button>
      </div>
      <EditForm message={message} />
    </section>
  );
}
