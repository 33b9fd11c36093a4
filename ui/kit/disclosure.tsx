// Shows a collapsible section based on the browser's <details> element, which supports the keyboard, find-in-page and
// screen readers.
import type { ReactNode, ToggleEvent } from "react";
import { Icon } from "./icons.tsx";
import styles from "./kit.module.css";

export interface DisclosureProps {
  summary: ReactNode;
  /** Open state, if the parent controls it; undefined if the <details> element keeps its own state. */
  open?: boolean | undefined;
  onToggle?: ((open: boolean) => void) | undefined;
  className?: string | undefined;
  children: ReactNode;
}

export function Disclosure({ summary, open, onToggle, className, children }: DisclosureProps) {
  const handleToggle = (event: ToggleEvent<HTMLDetailsElement>): void => {
    const isOpen = event.currentTarget.open;
    // The browser also dispatches the toggle event when React sets `open`; only changes by the user are reported.
    if (isOpen !== open) onToggle?.(isOpen);
  };
  return (
    <details
      className={[styles["disclosure"], className].filter(Boolean).join(" ")}
      open={open}
      onToggle={handleToggle}
    >
      <summary>
        <Icon name="chevron-right" size={14} className={styles["turner"]} />
        {summary}
      </summary>
      {children}
    </details>
  );
}
