// A modal dialog on the browser's <dialog>, which traps the focus and closes on Escape.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import styles from "./dialog.module.css";

export interface DialogProps {
  open: boolean;
  /** Called on Escape, on the close button, or on a click outside. */
  onClose: () => void;
  title: string;
  /** Uses a wider layout, for content to read. */
  wide?: boolean;
  /** Buttons at the bottom. */
  footer?: ReactNode;
  children: ReactNode;
}

export function Dialog({ open, ...rest }: DialogProps) {
  // Unmounted when closed, so that its content keeps no state.
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
      // React removes the element before the browser restores the focus.
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
        // The event is dispatched asynchronously; the dialog may be open again.
        if (!event.currentTarget.open) onClose();
      }}
      onCancel={(event) => {
        // The parent closes it by unmounting. Ignores cancel events that bubble up from a file input inside.
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

/** Returns the element to focus: the first field, else the first footer button, else the dialog itself. */
function findInitialFocus(dialog: HTMLDialogElement | null): HTMLElement | null | undefined {
  const field = dialog?.querySelector<HTMLElement>(":is(input, textarea, select):not([type=radio], :disabled)");
  return field ?? dialog?.querySelector<HTMLElement>(":scope > footer button") ?? dialog;
}
