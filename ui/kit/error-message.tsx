// Shows an error message next to the control that caused it.
import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";
import styles from "./error-message.module.css";

export function ErrorMessage({ children }: { children: ReactNode }) {
  return (
    <p className={styles["trouble"]} role="alert">
      <Icon name="error" size={16} />
      <span>{children}</span>
    </p>
  );
}
