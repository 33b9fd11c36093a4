// Words for those who listen to the page instead of looking at it.
import type { ReactNode } from "react";
import styles from "./kit.module.css";

export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={styles["hidden"]}>{children}</span>;
}
