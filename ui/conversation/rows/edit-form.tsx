// Shows the editor of a message. Typed text is stored as an unsaved edit until the user saves it. Each text part has
// its own field, so that its position among images and files does not change.
import { useEffect, useId, useRef, useState, type KeyboardEvent, type SyntheticEvent } from "react";
import type { Message, StoredMessage } from "koine";
import { Button } from "../../kit/index.ts";
import { useCommands, type EditDraft } from "./row-commands.ts";
import styles from "./edit-form.module.css";
import { editableTexts } from "./message-text.ts";

export function EditForm({ message }: { message: StoredMessage }) {
  const { id } = message;
  const { draft, saveEdit, closeEditor } = useCommands();
  const [texts, setTexts] = useState(() => draft.get(id)?.texts ?? editableTexts(message));
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const hint = useId();
  useEffect(() => focusField(form.current, draft.get(id)?.caret), [draft, id]);
  const save = async (requestAnswer: boolean): Promise<void> => {
    setBusy(true);
    if (!(await saveEdit(id, texts, requestAnswer))) setBusy(false);
  };
  const press = (event: KeyboardEvent): void => handleKey(event, closeEditor, () => void save(true));
  const type = (field: number, area: HTMLTextAreaElement): void => {
    const next = texts.map((text, at) => (at === field ? area.value : text));
    setTexts(next);
    draft.set(id, { texts: next, caret: readCaret(field, area) });
  };
  /**
   * Stores the position of the text cursor, if the user has already changed a text; otherwise there is no unsaved edit
   * to add it to.
   */
  const storeCaret = (field: number, event: SyntheticEvent<HTMLTextAreaElement>): void => {
    const stored = draft.get(id);
    if (stored !== undefined) draft.set(id, { ...stored, caret: readCaret(field, event.currentTarget) });
  };
  const attachmentCount = countAttachments(message);
  const isEmpty = texts.every((text) => text.trim() === "") && attachmentCount === 0;
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
          // The index is a safe key, because the number and order of the fields never change.
          key={field}
          className={styles["field"]}
          aria-label={texts.length === 1 ? "Message" : `Message, text ${field + 1} of ${texts.length}`}
          aria-describedby={hint}
          value={text}
          readOnly={busy}
          onKeyDown={press}
          onSelect={(event) => storeCaret(field, event)}
          onChange={(event) => type(field, event.target)}
        />
      ))}
      <p id={hint} className={styles["hint"]}>
        The original message stays as a branch.
        {attachmentCount > 0 &&
          ` ${attachmentCount === 1 ? "One attachment stays" : `${attachmentCount} attachments stay`} with it.`}
      </p>
      <EditButtons {...{ busy, isEmpty }} onCancel={closeEditor} onSave={() => void save(false)} />
    </form>
  );
}

function handleKey(event: KeyboardEvent, cancel: () => void, save: () => void): void {
  if (event.nativeEvent.isComposing) return;
  if (event.key === "Escape") cancel();
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function countAttachments({ parts }: Message): number {
  return parts.filter(({ type }) => type !== "text").length;
}

function readCaret(field: number, { selectionStart: from, selectionEnd: to }: HTMLTextAreaElement) {
  return { field, from, to };
}

/**
 * Focuses the field with the stored text cursor. If none is stored, focuses the first field, with the cursor at the end
 * of its text.
 */
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
