// A collapsible section on the browser's <details>, with its keyboard, find-in-page and screen reader support.
import type { ReactNode, ToggleEvent } from "react";
import { Icon } from "./icons.tsx";
import styles from "./kit.module.css";

export interface DisclosureProps {
  summary: ReactNode;
  /** Controlled state; undefined: uncontrolled. */
  open?: boolean | undefined;
  onToggle?: ((open: boolean) => void) | undefined;
  className?: string | undefined;
  children: ReactNode;
}

export function Disclosure({ summary, open, onToggle, className, children }: DisclosureProps) {
  const handleToggle = (event: ToggleEvent<HTMLDetailsElement>): void => {
    const isOpen = event.currentTarget.open;
    // Setting `open` by React dispatches the event, too; only changes by the user are reported.
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
