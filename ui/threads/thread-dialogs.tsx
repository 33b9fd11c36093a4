// Shows the dialogs that rename and delete a thread.
import { useId, useState } from "react";
import { type ActionAttempt, Button, Dialog, ErrorMessage, useAttempt } from "../kit/index.ts";
import type { ThreadJson } from "../data/types.ts";
import { formatThreadName } from "../data/thread-names.ts";
import styles from "./threads.module.css";

interface ThreadDialogProps {
  thread: ThreadJson;
  onClose: () => void;
}

/**
 * Returns the function `close`, which runs the action of a dialog's button and closes the dialog if the action
 * succeeds.
 */
function useClosingAction(onClose: () => void): ActionAttempt & { close: (work: () => Promise<unknown>) => void } {
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
  const { busy, error, close } = useClosingAction(onClose);
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
            placeholder={formatThreadName({ ...thread, title: null })}
            maxLength={500}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <p className={styles["help"]}>Without a title, the beginning of the first message is shown.</p>
        {error !== undefined && <ErrorMessage>{error}</ErrorMessage>}
      </form>
    </Dialog>
  );
}

export function DeleteDialog({ thread, onClose, remove }: ThreadDialogProps & { remove: () => Promise<unknown> }) {
  const { busy, error, close } = useClosingAction(onClose);
  const count = thread.summary?.messages;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this conversation?"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" icon="trash" busy={busy} onClick={() => close(remove)}>
            Delete permanently
          </Button>
        </>
      }
    >
      <p>
        <strong>{formatThreadName(thread)}</strong> will be deleted with{" "}
        {count === undefined ? "its messages" : formatMessageCount(count)}, every branch and the records of its calls.
        This cannot be undone.
      </p>
      {error !== undefined && <ErrorMessage>{error}</ErrorMessage>}
    </Dialog>
  );
}

const formatMessageCount = (count: number): string =>
  count === 1 ? "its one message" : `all of its ${count} messages`;
