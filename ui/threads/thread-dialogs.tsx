// Renaming and deleting a thread from the list.
import { useId, useState } from "react";
import { type Attempt, Button, Dialog, Trouble, useAttempt } from "../kit/index.ts";
import type { Thread } from "../data/types.ts";
import { nameOf } from "../data/names.ts";
import styles from "./threads.module.css";

interface ThreadDialogProps {
  thread: Thread;
  onClose: () => void;
}

/** What a dialog's button does. The dialog closes only when it succeeded. */
function useClosing(onClose: () => void): Attempt & { close: (work: () => Promise<unknown>) => void } {
  const attempt = useAttempt();
  return {
    ...attempt,
    close: (work) => void attempt.run(work).then((isDone) => isDone && onClose()),
  };
}

export function RenameDialog({
  thread,
  onClose,
  rename,
}: ThreadDialogProps & { rename: (title: string) => Promise<unknown> }) {
  const [title, setTitle] = useState(thread.title ?? "");
  const { busy, error, close } = useClosing(onClose);
  const form = useId();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename the conversation"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={busy}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          close(() => rename(title.trim()));
        }}
      >
        <label className={styles["field"]}>
          Title
          <input
            value={title}
            placeholder={nameOf({ ...thread, title: null })}
            maxLength={500}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <p className={styles["help"]}>Without a title, the first words stand for it.</p>
        {error !== undefined && <Trouble>{error}</Trouble>}
      </form>
    </Dialog>
  );
}

export function DeleteDialog({ thread, onClose, remove }: ThreadDialogProps & { remove: () => Promise<unknown> }) {
  const { busy, error, close } = useClosing(onClose);
  const count = thread.summary?.messages;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this conversation?"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" icon="trash" busy={busy} onClick={() => close(remove)}>
            Delete for good
          </Button>
        </>
      }
    >
      <p>
        <strong>{nameOf(thread)}</strong> goes with {count === undefined ? "its messages" : countOf(count)}, every
        branch and the records of its calls. This cannot be undone.
      </p>
      {error !== undefined && <Trouble>{error}</Trouble>}
    </Dialog>
  );
}

const countOf = (count: number): string => (count === 1 ? "its one message" : `all of its ${count} messages`);
