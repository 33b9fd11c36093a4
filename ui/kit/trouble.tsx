// Something did not succeed: said where it was tried.
import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";
import styles from "./trouble.module.css";

export function Trouble({ children }: { children: ReactNode }) {
  return (
    <p className={styles["trouble"]} role="alert">
      <Icon name="error" size={16} />
      <span>{children}</span>
    </p>
  );
}
