// Shows the input for the payload, which the user types, pastes, drops or opens from a file. The payload stays in this
// tab; it is neither sent nor stored.
import { useRef, useState, type ClipboardEvent, type DragEvent, type ReactNode, type Ref } from "react";
import { Button, formatBytes, Menu } from "../kit/index.ts";
import { EXAMPLES } from "./examples.ts";
import styles from "./translate-view.module.css";
import type { PayloadContent } from "./use-payload.ts";

/** Maximum length of an editable text, in characters; a longer text would make typing slow. */
const MAX_EDITABLE_LENGTH = 200_000;
const TYPING_PAUSE_MS = 200;

export interface PayloadInputProps {
  ref: Ref<HTMLTextAreaElement>;
  payload: PayloadContent | undefined;
  onChange: (payload: PayloadContent | undefined) => void;
  /** Content beside the buttons, such as the detected dialect. */
  children?: ReactNode;
}

export function PayloadInput({ ref, payload, onChange, children }: PayloadInputProps) {
  const [isOver, setOver] = useState(false);
  const take = usePayloadHandlers(onChange);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined) void take.file(file);
    else take.text(event.dataTransfer.getData("text/plain"));
  };
  return (
    <section
      aria-label="Payload"
      className={styles["input"]}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {payload !== undefined && !isEditable(payload) ? (
        <LargePayload payload={payload} />
      ) : (
        <PayloadField ref={ref} payload={payload} take={take} />
      )}
      <div className={styles["actions"]}>
        {payload !== undefined && (
          <Menu
            label="Examples"
            items={EXAMPLES.map(({ title, text }) => ({ label: title, onSelect: () => take.text(text) }))}
          >
            Examples
          </Menu>
        )}
        <FileButton onFile={(file) => void take.file(file)} />
        {payload !== undefined && (
          <Button small icon="close" onClick={() => onChange(undefined)}>
            Clear
          </Button>
        )}
        {children}
      </div>
    </section>
  );
}

function isEditable({ content }: PayloadContent): boolean {
  return typeof content === "string" && content.length <= MAX_EDITABLE_LENGTH;
}

interface PayloadHandlers {
  text: (text: string) => void;
  typed: (text: string) => void;
  file: (file: File) => Promise<void>;
}

function toPayload(content: string): PayloadContent | undefined {
  return content.trim() === "" ? undefined : { content };
}

/**
 * Returns handlers for new payloads. Typed text takes effect after a pause; pasted text, files and examples take effect
 * at once.
 */
function usePayloadHandlers(onChange: PayloadInputProps["onChange"]): PayloadHandlers {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const take = (next: PayloadContent | undefined, pause = 0): void => {
    clearTimeout(timer.current);
    if (pause === 0) onChange(next);
    else timer.current = setTimeout(() => onChange(next), pause);
  };
  return {
    text: (text) => take(toPayload(text)),
    typed: (text) => take(text.trim() === "" ? undefined : { content: text, typed: true }, TYPING_PAUSE_MS),
    file: async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const text = decodeText(bytes);
      take({ name: file.name, content: text !== undefined && text.length <= MAX_EDITABLE_LENGTH ? text : bytes });
    },
  };
}

/** Returns the text of a file; undefined if the file is not UTF-8 text or is too large to edit. */
function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.length > 4 * MAX_EDITABLE_LENGTH || bytes[0] === 0) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Shows the text field. React sets its value only when it mounts the field, not while the user types. For a text that
 * the user did not type, such as an example, a new field is mounted.
 */
function PayloadField({
  ref,
  payload,
  take,
}: {
  ref: Ref<HTMLTextAreaElement>;
  payload: PayloadContent | undefined;
  take: PayloadHandlers;
}) {
  const typed = useRef<string>("");
  const text = typeof payload?.content === "string" ? payload.content : "";
  const [shown, setShown] = useState({ text, version: 0 });
  if (shown.text !== text) setShown({ text, version: shown.version + (text === typed.current ? 0 : 1) });
  const paste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.getData("text/plain");
    const file = event.clipboardData.files[0];
    if (pasted.length <= MAX_EDITABLE_LENGTH && (file === undefined || pasted !== "")) return;
    event.preventDefault();
    if (pasted !== "") take.text(pasted);
    else if (file !== undefined) void take.file(file);
  };
  return (
    <textarea
      key={shown.version}
      ref={ref}
      className={styles["field"]}
      aria-label="Payload to translate"
      placeholder="Paste or drop a payload here: a request, an answer, messages, a stream or an error of any dialect."
      defaultValue={text}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      wrap="off"
      onPaste={paste}
      onChange={({ target }) => {
        typed.current = target.value;
        take.typed(target.value);
      }}
    />
  );
}

function LargePayload({ payload: { name, content } }: { payload: PayloadContent }) {
  return (
    <p className={styles["held"]}>
      <strong>{name ?? "Pasted text"}</strong>{" "}
      {typeof content === "string" ? `${content.length.toLocaleString("en")} characters` : formatBytes(content.length)}
      <span>The payload is too large to edit here.</span>
    </p>
  );
}

function FileButton({ onFile }: { onFile: (file: File) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button small icon="file" onClick={() => chooser.current?.click()}>
        Open a file
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="File to translate"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) onFile(file);
          // The value is cleared, because the browser fires no change event if the same file is chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
