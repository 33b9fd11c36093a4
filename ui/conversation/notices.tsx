// Shows notices above the composer: one if the shown branch is not the active branch, and one if a message whose editor
// is open is on a branch that is not shown.
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

/**
 * Shows a notice and the open editor of a message whose branch is no longer shown, for example because another client
 * has selected another branch.
 */
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
