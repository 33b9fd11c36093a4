// Renders text that is invisible and that only screen readers present.
import type { ReactNode } from "react";
import styles from "./kit.module.css";

export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={styles["hidden"]}>{children}</span>;
}
