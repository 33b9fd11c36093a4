// Another wording in the place of a message. What is typed is kept until it is saved or given up. Every text of the message
// has a field of its own, so that each stays where it is among pictures and files.
import { useEffect, useId, useRef, useState, type KeyboardEvent, type SyntheticEvent } from "react";
import type { Message, StoredMessage } from "koine";
import { Button } from "../kit/index.ts";
import { useCommands, type EditDraft } from "./context.ts";
import styles from "./edit-form.module.css";
import { editableTexts } from "./words.ts";

export function EditForm({ message }: { message: StoredMessage }) {
  const { id } = message;
  const { draft, saveEdit, closeEditor } = useCommands();
  const [texts, setTexts] = useState(() => draft.get(id)?.texts ?? editableTexts(message));
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const hint = useId();
  useEffect(() => focusField(form.current, draft.get(id)?.caret), [draft, id]);
  const save = async (ask: boolean): Promise<void> => {
    setBusy(true);
    if (!(await saveEdit(id, texts, ask))) setBusy(false);
  };
  const press = (event: KeyboardEvent): void => pressIn(event, closeEditor, () => void save(true));
  const type = (field: number, area: HTMLTextAreaElement): void => {
    const next = texts.map((text, at) => (at === field ? area.value : text));
    setTexts(next);
    draft.set(id, { texts: next, caret: caretIn(field, area) });
  };
  /** Only what was typed is a draft; where the next letter goes belongs to it. */
  const noteCaret = (field: number, event: SyntheticEvent<HTMLTextAreaElement>): void => {
    const kept = draft.get(id);
    if (kept !== undefined) draft.set(id, { ...kept, caret: caretIn(field, event.currentTarget) });
  };
  const keeps = attachmentsOf(message);
  const isEmpty = texts.every((text) => text.trim() === "") && keeps === 0;
  return (
    <form
      ref={form}
      className={styles["form"]}
      aria-label="Edit message"
      onSubmit={(event) => {
        event.preventDefault();
        void save(true);
      }}
    >
      {texts.map((text, field) => (
        <textarea
          // Texts of a message are told apart by their place alone.
          key={field}
          className={styles["field"]}
          aria-label={texts.length === 1 ? "Message" : `Message, text ${field + 1} of ${texts.length}`}
          aria-describedby={hint}
          value={text}
          readOnly={busy}
          onKeyDown={press}
          onSelect={(event) => noteCaret(field, event)}
          onChange={(event) => type(field, event.target)}
        />
      ))}
      <p id={hint} className={styles["hint"]}>
        The former wording stays as a branch.
        {keeps > 0 && ` ${keeps === 1 ? "One attachment stays" : `${keeps} attachments stay`} with it.`}
      </p>
      <EditButtons {...{ busy, isEmpty }} onCancel={closeEditor} onSave={() => void save(false)} />
    </form>
  );
}

function pressIn(event: KeyboardEvent, cancel: () => void, save: () => void): void {
  if (event.nativeEvent.isComposing) return;
  if (event.key === "Escape") cancel();
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function attachmentsOf({ parts }: Message): number {
  return parts.filter(({ type }) => type !== "text").length;
}

function caretIn(field: number, { selectionStart: from, selectionEnd: to }: HTMLTextAreaElement) {
  return { field, from, to };
}

/** Where it was left, else behind the last word. */
function focusField(form: HTMLFormElement | null, caret: EditDraft["caret"]): void {
  const areas = form?.querySelectorAll("textarea");
  const area = areas?.[caret?.field ?? 0];
  if (area === undefined) return;
  area.focus({ preventScroll: true });
  area.setSelectionRange(caret?.from ?? area.value.length, caret?.to ?? area.value.length);
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
