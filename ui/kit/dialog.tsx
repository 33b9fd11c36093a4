// Shows a modal dialog based on the browser's <dialog> element, which traps the focus and closes on Escape.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import styles from "./dialog.module.css";

export interface DialogProps {
  open: boolean;
  /** Called when the user presses Escape, uses the close button, or clicks outside the dialog. */
  onClose: () => void;
  title: string;
  /** True for a wider dialog, for content to read. */
  wide?: boolean;
  /** Buttons at the bottom of the dialog. */
  footer?: ReactNode;
  children: ReactNode;
}

export function Dialog({ open, ...rest }: DialogProps) {
  // A closed dialog is unmounted, so that its content starts without state when it opens again.
  return open ? <ModalDialog {...rest} /> : null;
}

function ModalDialog({ onClose, title, wide = false, footer, children }: Omit<DialogProps, "open">) {
  const element = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = element.current;
    const previouslyFocused = document.activeElement;
    dialog?.showModal();
    findInitialFocus(dialog)?.focus();
    return () => {
      dialog?.close();
      // The focus is restored here, because React removes the element before the browser would restore the focus.
      if (previouslyFocused instanceof HTMLElement && previouslyFocused.isConnected) previouslyFocused.focus();
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
        // Browsers dispatch the close event asynchronously, so the dialog may already be open again; then the event is
        // ignored.
        if (!event.currentTarget.open) onClose();
      }}
      onCancel={(event) => {
        // Cancel events of a file input inside the dialog bubble up and are ignored. The parent closes the dialog by
        // unmounting it, so the browser must not close it.
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

/** Returns the element to focus: the first field, or the first footer button, or the dialog itself. */
function findInitialFocus(dialog: HTMLDialogElement | null): HTMLElement | null | undefined {
  const field = dialog?.querySelector<HTMLElement>(":is(input, textarea, select):not([type=radio], :disabled)");
  return field ?? dialog?.querySelector<HTMLElement>(":scope > footer button") ?? dialog;
}
