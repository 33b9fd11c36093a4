// A dialog: the browser's own element, which keeps the focus inside, gives it back and closes on Escape.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import styles from "./dialog.module.css";

export interface DialogProps {
  open: boolean;
  /** Asked to close: by Escape, the cross, or a press beside it. */
  onClose: () => void;
  title: string;
  /** Wider, for what is read rather than answered. */
  wide?: boolean;
  /** Buttons at its foot. */
  footer?: ReactNode;
  children: ReactNode;
}

export function Dialog({ open, ...rest }: DialogProps) {
  // A closed dialog has no content: what it held would keep its state.
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({ onClose, title, wide = false, footer, children }: Omit<DialogProps, "open">) {
  const element = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    firstOf(dialog)?.focus();
    return () => {
      dialog?.close();
      // The element goes away with its closing, before the browser gives the focus back.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={styles["dialog"]}
      data-wide={wide}
      tabIndex={-1}
      aria-labelledby={name}
      closedby="any"
      onClose={(event) => {
        // Told late: it may be open again.
        if (!event.currentTarget.open) onClose();
      }}
      onCancel={(event) => {
        // The owner closes it, by no longer showing it. A file chooser inside that is cancelled bubbles up here.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
    >
      <header className={styles["head"]}>
        <h2 id={name}>{title}</h2>
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      <div className={styles["body"]}>{children}</div>
      {footer !== undefined && <footer className={styles["foot"]}>{footer}</footer>}
    </dialog>
  );
}

/** What one wants of a dialog: its first field, else the first of its answers; of one that is only read, itself. */
function firstOf(dialog: HTMLDialogElement | null): HTMLElement | null | undefined {
  const field = dialog?.querySelector<HTMLElement>(":is(input, textarea, select):not([type=radio], :disabled)");
  return field ?? dialog?.querySelector<HTMLElement>(":scope > footer button") ?? dialog;
}
