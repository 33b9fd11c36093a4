// Where a payload comes in: typed, pasted, dropped or opened. It stays in this tab: nothing of it is sent or kept.
import { useRef, useState, type ClipboardEvent, type DragEvent, type ReactNode, type Ref } from "react";
import { Button, formatBytes, Menu } from "../kit/index.ts";
import { EXAMPLES } from "./examples.ts";
import styles from "./translate-view.module.css";
import type { Held } from "./use-payload.ts";

/** A field of this many characters makes typing slow; more is shown as what it is. */
const TYPABLE = 200_000;
const TYPING_PAUSE = 200;

export interface PayloadInputProps {
  ref: Ref<HTMLTextAreaElement>;
  held: Held | undefined;
  onChange: (held: Held | undefined) => void;
  /** Beside its buttons: what it was taken for. */
  children?: ReactNode;
}

export function PayloadInput({ ref, held, onChange, children }: PayloadInputProps) {
  const [isOver, setOver] = useState(false);
  const take = useTaking(onChange);
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
      {held !== undefined && !isTypable(held) ? <HeldFile held={held} /> : <Field ref={ref} held={held} take={take} />}
      <div className={styles["actions"]}>
        {held !== undefined && (
          <Menu
            label="Examples"
            items={EXAMPLES.map(({ title, text }) => ({ label: title, onSelect: () => take.text(text) }))}
          >
            Examples
          </Menu>
        )}
        <FileButton onFile={(file) => void take.file(file)} />
        {held !== undefined && (
          <Button small icon="close" onClick={() => onChange(undefined)}>
            Clear
          </Button>
        )}
        {children}
      </div>
    </section>
  );
}

function isTypable({ content }: Held): boolean {
  return typeof content === "string" && content.length <= TYPABLE;
}

interface Taking {
  text: (text: string) => void;
  typed: (text: string) => void;
  file: (file: File) => Promise<void>;
}

function asHeld(content: string): Held | undefined {
  return content.trim() === "" ? undefined : { content };
}

/** What is typed counts after a pause, all else at once. */
function useTaking(onChange: PayloadInputProps["onChange"]): Taking {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const take = (held: Held | undefined, pause = 0): void => {
    clearTimeout(timer.current);
    if (pause === 0) onChange(held);
    else timer.current = setTimeout(() => onChange(held), pause);
  };
  return {
    text: (text) => take(asHeld(text)),
    typed: (text) => take(text.trim() === "" ? undefined : { content: text, typed: true }, TYPING_PAUSE),
    file: async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const text = textIn(bytes);
      take({ name: file.name, content: text !== undefined && text.length <= TYPABLE ? text : bytes });
    },
  };
}

/** The text of a file, where it is one. */
function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.length > 4 * TYPABLE || bytes[0] === 0) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The browser's own field keeps the text while one types; it is made anew when the text comes from elsewhere. */
function Field({ ref, held, take }: { ref: Ref<HTMLTextAreaElement>; held: Held | undefined; take: Taking }) {
  const typed = useRef<string>("");
  const text = typeof held?.content === "string" ? held.content : "";
  const [shown, setShown] = useState({ text, version: 0 });
  if (shown.text !== text) setShown({ text, version: shown.version + (text === typed.current ? 0 : 1) });
  const paste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.getData("text/plain");
    const file = event.clipboardData.files[0];
    if (pasted.length <= TYPABLE && (file === undefined || pasted !== "")) return;
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

function HeldFile({ held: { name, content } }: { held: Held }) {
  return (
    <p className={styles["held"]}>
      <strong>{name ?? "Pasted text"}</strong>{" "}
      {typeof content === "string" ? `${content.length.toLocaleString("en")} characters` : formatBytes(content.length)}
      <span>It is too large to edit here.</span>
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
          // The same file may be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
