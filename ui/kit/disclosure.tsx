// A fold: the browser's own element, so that keys, search in the page and screen readers know it.
import type { ReactNode, ToggleEvent } from "react";
import { Icon } from "./icons.tsx";
import styles from "./kit.module.css";

export interface DisclosureProps {
  summary: ReactNode;
  /** Whether it is open; without it, the reader's own doing. */
  open?: boolean | undefined;
  onToggle?: ((open: boolean) => void) | undefined;
  className?: string | undefined;
  children: ReactNode;
}

export function Disclosure({ summary, open, onToggle, className, children }: DisclosureProps) {
  const told = (event: ToggleEvent<HTMLDetailsElement>): void => {
    const now = event.currentTarget.open;
    // React's own setting of `open` is told as well; only the reader's is news.
    if (now !== open) onToggle?.(now);
  };
  return (
    <details className={[styles["disclosure"], className].filter(Boolean).join(" ")} open={open} onToggle={told}>
      <summary>
        <Icon name="chevron-right" size={14} className={styles["turner"]} />
        {summary}
      </summary>
      {children}
    </details>
  );
}
