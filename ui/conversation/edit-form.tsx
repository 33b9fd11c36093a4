// Another wording in the place of a message. What is typed is kept until it is saved or given up.
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import type { StoredMessage } from "koine";
import { Button } from "../kit/index.ts";
import { useCommands } from "./context.ts";
import styles from "./edit-form.module.css";
import { editableText } from "./words.ts";

export function EditForm({ message }: { message: StoredMessage }) {
  const { id } = message;
  const { draft, saveEdit, closeEditor } = useCommands();
  const [text, setText] = useState(() => draft.get(id) ?? editableText(message));
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  useEffect(() => {
    const area = field.current;
    area?.focus({ preventScroll: true });
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const save = async (ask: boolean): Promise<void> => {
    setBusy(true);
    if (!(await saveEdit(id, text, ask))) setBusy(false);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") closeEditor();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const keeps = message.parts.filter(({ type }) => type !== "text").length;
  const isEmpty = text.trim() === "" && keeps === 0;
  return (
    <form
      className={styles["form"]}
      aria-label="Edit message"
      onSubmit={(event) => {
        event.preventDefault();
        void save(true);
      }}
    >
      <textarea
        ref={field}
        className={styles["field"]}
        aria-label="Message"
        aria-describedby={hint}
        value={text}
        readOnly={busy}
        onKeyDown={press}
        onChange={(event) => {
          setText(event.target.value);
          draft.set(id, event.target.value);
        }}
      />
      <p id={hint} className={styles["hint"]}>
        The former wording stays as a branch.
        {keeps > 0 && ` ${keeps === 1 ? "One attachment stays" : `${keeps} attachments stay`} with it.`}
      </p>
      <EditButtons {...{ busy, isEmpty }} onCancel={closeEditor} onSave={() => void save(false)} />
    </form>
  );
}

interface EditButtonsProps {
  busy: boolean;
  isEmpty: boolean;
  onCancel: () => void;
  onSave: () => void;
}

function EditButtons({ busy, isEmpty, onCancel, onSave }: EditButtonsProps) {
  return (
    <div className={styles["buttons"]}>
      <Button small onClick={onCancel} title="Esc">
        Cancel
      </Button>
      <Button small disabled={isEmpty || busy} onClick={onSave}>
        Save only
      </Button>
      <Button small type="submit" variant="primary" icon="send" busy={busy} disabled={isEmpty} title="Ctrl+Enter">
        Save and ask
      </Button>
    </div>
  );
}
