// Shows toasts: short confirmations and errors that disappear by themselves.
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

/** Display times by kind; errors are shown longer, because the user has to read them. */
const DURATIONS_MS: Record<ToastKind, number> = { note: 2500, error: 8000 };
const MAX_TOASTS = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function setToasts(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number): void => setToasts(toasts.filter((toast) => toast.id !== id));

/** Shows a toast. A shown toast with the same text is replaced, so that its time starts again. */
export function toast(text: string, kind: ToastKind = "note"): void {
  const id = ++lastId;
  setToasts([...toasts.filter((each) => each.text !== text), { id, text, kind }].slice(-MAX_TOASTS));
  setTimeout(() => dismiss(id), DURATIONS_MS[kind]);
}

export function useToast(): typeof toast {
  return toast;
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Renders the toasts. The page mounts this component once. */
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
