// Renaming and deleting a thread from the list.
import { useId, useState } from "react";
import { Button, Dialog } from "../kit/index.ts";
import type { Thread } from "../data/types.ts";
import { nameOf } from "../data/names.ts";
import styles from "./threads.module.css";

interface ThreadDialogProps {
  thread: Thread;
  onClose: () => void;
}

/** What a dialog's button does: under way, and why it did not work. The dialog closes only when it did. */
function useAttempt(onDone: () => void): {
  busy: boolean;
  failure: string | undefined;
  run: (work: Promise<unknown>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt = async (work: Promise<unknown>): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work;
      onDone();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return { busy, failure, run: (work) => void attempt(work) };
}

export function RenameDialog({
  thread,
  onClose,
  rename,
}: ThreadDialogProps & { rename: (title: string) => Promise<unknown> }) {
  const [title, setTitle] = useState(thread.title ?? "");
  const { busy, failure, run } = useAttempt(onClose);
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
          run(rename(title.trim()));
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
        {failure !== undefined && <Failure text={failure} />}
      </form>
    </Dialog>
  );
}

export function DeleteDialog({ thread, onClose, remove }: ThreadDialogProps & { remove: () => Promise<unknown> }) {
  const { busy, failure, run } = useAttempt(onClose);
  const count = thread.summary?.messages;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete this conversation?"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" icon="trash" busy={busy} onClick={() => run(remove())}>
            Delete for good
          </Button>
        </>
      }
    >
      <p>
        <strong>{nameOf(thread)}</strong> goes with {count === undefined ? "its messages" : countOf(count)}, every
        branch and the records of its calls. This cannot be undone.
      </p>
      {failure !== undefined && <Failure text={failure} />}
    </Dialog>
  );
}

const countOf = (count: number): string => (count === 1 ? "its one message" : `all of its ${count} messages`);

function Failure({ text }: { text: string }) {
  return (
    <p role="alert" className={styles["failure"]}>
      {text}
    </p>
  );
}
