// Shows the input area of a composer: a text field that grows with its content, attached files and a row of buttons.
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useRef,
  useSyncExternalStore,
} from "react";
import { IconButton, ErrorMessage } from "../kit/index.ts";
import { AttachmentList } from "./draft/attachment-list.tsx";
import { ACCEPTED, FILE_LIMITS_TEXT } from "./draft/attachments.ts";
import styles from "./composer-box.module.css";
import type { DraftEditor } from "./draft/use-draft.ts";
import { useFileDrop } from "./draft/use-file-drop.ts";

export interface ComposerBoxProps {
  editor: DraftEditor;
  /** Accessible name of the text field. */
  label: string;
  placeholder: string;
  onSubmit: () => void;
  /** Called when the user presses Escape in the text field. */
  onEscape?: () => void;
  /** Controls beside the file button. */
  tools?: ReactNode;
  buttons: ReactNode;
  /** Error message of the last attempt to send or to stop; undefined if there was none. */
  error?: string | undefined;
  field?: Ref<HTMLTextAreaElement>;
  /** True for a taller text field. */
  large?: boolean;
}

export function ComposerBox(props: ComposerBoxProps) {
  const { editor, label, placeholder, tools, buttons, error, field, large = false } = props;
  const { draft } = editor;
  const isDragging = useFileDrop(editor.attach);
  const isTouch = useIsTouch();
  const { submit, press, paste } = useTyping(props, isTouch);
  return (
    <form className={styles["box"]} data-over={isDragging} onSubmit={submit}>
      <AttachmentList attachments={draft.attachments} onRemove={editor.detach} />
      {/* A hidden copy of the text (`data-text`) gives the field its height in browsers without `field-sizing`. */}
      <div className={styles["grow"]} data-text={draft.text}>
        <textarea
          ref={field}
          aria-label={label}
          placeholder={placeholder}
          rows={1}
          data-large={large}
          value={draft.text}
          enterKeyHint={isTouch ? "enter" : "send"}
          onChange={(event) => editor.setText(event.target.value)}
          onKeyDown={press}
          onPaste={paste}
        />
      </div>
      <div className={styles["row"]}>
        <FileButton onFiles={editor.attach} />
        {tools}
        <span className={styles["buttons"]}>{buttons}</span>
      </div>
      {draft.lostFileNames !== undefined && (
        <LostFiles names={draft.lostFileNames} onForget={editor.dismissLostFiles} />
      )}
      {editor.rejectedFiles.length > 0 && <ErrorMessage>{editor.rejectedFiles.join(" ")}</ErrorMessage>}
      {error !== undefined && <ErrorMessage>{error}</ErrorMessage>}
      {isDragging && <div className={styles["drop"]}>Drop to attach ({FILE_LIMITS_TEXT})</div>}
    </form>
  );
}

/** Matches touch devices. Their keyboards have no Shift+Enter, so Enter inserts a line break and the button sends. */
const COARSE_POINTER = "(pointer: coarse)";

function useIsTouch(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(COARSE_POINTER);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(COARSE_POINTER).matches,
  );
}

function useTyping({ editor, onSubmit, onEscape }: ComposerBoxProps, isTouch: boolean) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  const press = (event: KeyboardEvent): void => {
    // While an input method composes text, Enter or Escape belongs to it and is ignored here. Some browsers report such
    // a key only by the key code 229.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && (!isTouch || isCommand)) {
      event.preventDefault();
      onSubmit();
    } else if (event.key === "Escape") onEscape?.();
  };
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    // Word processors copy text together with a picture of the text; then only the text is pasted.
    if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    editor.attach(files);
  };
  return { submit, press, paste };
}

function LostFiles({ names, onForget: onDismiss }: { names: readonly string[]; onForget: () => void }) {
  return (
    <p className={styles["gone"]}>
      <span>
        {names.length === 1 ? "The reload lost a file: " : "The reload lost files: "}
        {names.join(", ")}. Attach {names.length === 1 ? "it" : "them"} again.
      </span>
      <IconButton label="Continue without the files" icon="close" size={14} onClick={onDismiss} />
    </p>
  );
}

function FileButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        label={`Attach files (${FILE_LIMITS_TEXT})`}
        icon="paperclip"
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The value is cleared, because the browser fires no change event if the same file is chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
