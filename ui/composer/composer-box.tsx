// Where something is written: a field that grows, the files that go with it, and a row of tools.
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useRef,
  useSyncExternalStore,
} from "react";
import { IconButton, Trouble } from "../kit/index.ts";
import { AttachmentList } from "./attachment-list.tsx";
import { ACCEPTED, LIMIT_WORDS } from "./attachments.ts";
import styles from "./composer-box.module.css";
import type { DraftHold } from "./use-draft.ts";
import { useFileDrop } from "./use-file-drop.ts";

export interface ComposerBoxProps {
  hold: DraftHold;
  /** The name of the field. */
  label: string;
  placeholder: string;
  onSubmit: () => void;
  /** Escape in the field. */
  onEscape?: () => void;
  /** What stands beside the button for files. */
  tools?: ReactNode;
  /** The buttons at the end. */
  buttons: ReactNode;
  /** Why the last attempt did not succeed. */
  error?: string | undefined;
  field?: Ref<HTMLTextAreaElement>;
  /** Higher, where it is all there is to do. */
  large?: boolean;
}

export function ComposerBox(props: ComposerBoxProps) {
  const { hold, label, placeholder, tools, buttons, error, field, large = false } = props;
  const { draft } = hold;
  const over = useFileDrop(hold.attach);
  const isTouch = useIsTouch();
  const { submit, press, paste } = useTyping(props, isTouch);
  return (
    <form className={styles["box"]} data-over={over} onSubmit={submit}>
      <AttachmentList attachments={draft.attachments} onRemove={hold.detach} />
      {/* The mirror makes the field as high as its words where the browser does not. */}
      <div className={styles["grow"]} data-text={draft.text}>
        <textarea
          ref={field}
          aria-label={label}
          placeholder={placeholder}
          rows={1}
          data-large={large}
          value={draft.text}
          enterKeyHint={isTouch ? "enter" : "send"}
          onChange={(event) => hold.write(event.target.value)}
          onKeyDown={press}
          onPaste={paste}
        />
      </div>
      <div className={styles["row"]}>
        <FileButton onFiles={hold.attach} />
        {tools}
        <span className={styles["buttons"]}>{buttons}</span>
      </div>
      {draft.gone !== undefined && <Gone names={draft.gone} onForget={hold.forgetGone} />}
      {hold.refused.length > 0 && <Trouble>{hold.refused.join(" ")}</Trouble>}
      {error !== undefined && <Trouble>{error}</Trouble>}
      {over && <div className={styles["drop"]}>Drop to attach ({LIMIT_WORDS})</div>}
    </form>
  );
}

/** Keys under glass have no Shift to break a line with: there Enter does, and the button sends. */
const TOUCH = "(pointer: coarse)";

function useIsTouch(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(TOUCH);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(TOUCH).matches,
  );
}

function useTyping({ hold, onSubmit, onEscape }: ComposerBoxProps, isTouch: boolean) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  const press = (event: KeyboardEvent): void => {
    // The Enter, or Escape, that ends an input method's own choice is no key for us; 229 is how some browsers say so.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && (!isTouch || isCommand)) {
      event.preventDefault();
      onSubmit();
    } else if (event.key === "Escape") onEscape?.();
  };
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    // What word processors copy is text first, and a picture of it.
    if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    hold.attach(files);
  };
  return { submit, press, paste };
}

function Gone({ names, onForget }: { names: readonly string[]; onForget: () => void }) {
  return (
    <p className={styles["gone"]}>
      <span>
        {names.length === 1 ? "A file did not outlive the reload: " : "Files did not outlive the reload: "}
        {names.join(", ")}. Attach {names.length === 1 ? "it" : "them"} again.
      </span>
      <IconButton label="Go on without" icon="close" size={14} onClick={onForget} />
    </p>
  );
}

function FileButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={`Attach files (${LIMIT_WORDS})`} icon="paperclip" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file can be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
