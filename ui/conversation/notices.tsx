// What stands above the field to write in: that another branch is looked at, and an edit whose message is not shown any more.
import type { StoredMessage } from "koine";
import { Button } from "../kit/index.ts";
import { useCommands } from "./context.ts";
import { EditForm } from "./edit-form.tsx";
import styles from "./notices.module.css";

export interface BranchNoticeProps {
  onActivate: () => void;
  onLeave: () => void;
}

export function BranchNotice({ onActivate, onLeave }: BranchNoticeProps) {
  return (
    <div className={styles["notice"]} role="status">
      <p>You are looking at another branch. What you write goes to the active one.</p>
      <span className={styles["buttons"]}>
        <Button small onClick={onLeave}>
          To the active one
        </Button>
        <Button small icon="branch" variant="primary" onClick={onActivate}>
          Make it active
        </Button>
      </span>
    </div>
  );
}

/** Somebody went on elsewhere while a message was edited: the words stay, and where they belong is told. */
export function StrayEdit({ message }: { message: StoredMessage }) {
  const { goTo } = useCommands();
  return (
    <section className={styles["stray"]} aria-label="Edit of another branch">
      <div className={styles["notice"]} role="status">
        <p>The conversation went on in another branch. The message that you are editing is not shown there.</p>
        <Button small icon="branch" onClick={() => goTo(message.id)}>
          Show its branch
        </Button>
      </div>
      <EditForm message={message} />
    </section>
  );
}
