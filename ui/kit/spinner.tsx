// A progress spinner, with a label for screen readers.
import styles from "./kit.module.css";

export interface SpinnerProps {
  /** States what is loading. Without it, the spinner is decoration beside such a text. */
  label?: string;
  /** In pixels; default 16. */
  size?: number;
}

export function Spinner({ label, size = 16 }: SpinnerProps) {
  const accessibility = label === undefined ? { "aria-hidden": true } : { role: "status", "aria-label": label };
  return <span {...accessibility} className={styles["spinner"]} style={{ width: size, height: size }} />;
}
