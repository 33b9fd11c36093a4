// Short notes that come and go by themselves. What matters is said where it happened; a note only confirms.
import { useSyncExternalStore } from "react";
import { Icon } from "./icons.tsx";
import { IconButton } from "./button.tsx";
import styles from "./toasts.module.css";

export type ToastKind = "note" | "error";

interface Toast {
  id: number;
  text: string;
  kind: ToastKind;
}

/** How long a note stays; errors stay longer, because they have to be read. */
const STAYS: Record<ToastKind, number> = { note: 2500, error: 8000 };
const MOST = 4;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number): void => show(toasts.filter((toast) => toast.id !== id));

/** Shows a note. The same one again only stays longer. */
export function toast(text: string, kind: ToastKind = "note"): void {
  const id = ++last;
  show([...toasts.filter((each) => each.text !== text), { id, text, kind }].slice(-MOST));
  setTimeout(() => dismiss(id), STAYS[kind]);
}

export function useToast(): typeof toast {
  return toast;
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Where notes are shown: once, in the frame. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={styles["toasts"]} role="status" aria-live="polite" aria-label="Notes">
      {shown.map(({ id, text, kind }) => (
        <div key={id} className={styles["toast"]} data-kind={kind}>
          <Icon name={kind === "error" ? "error" : "check"} size={16} />
          <span>{text}</span>
          {kind === "error" && <IconButton label="Dismiss" icon="close" size={14} onClick={() => dismiss(id)} />}
        </div>
      ))}
    </div>
  );
}
