// Something is under way. Said in words to those who cannot see it turn.
import styles from "./kit.module.css";

export interface SpinnerProps {
  /** What one waits for. Without it the spinner is decoration beside words that say so. */
  label?: string;
  /** In pixels. Default 16. */
  size?: number;
}

export function Spinner({ label, size = 16 }: SpinnerProps) {
  const spoken = label === undefined ? { "aria-hidden": true } : { role: "status", "aria-label": label };
  return <span {...spoken} className={styles["spinner"]} style={{ width: size, height: size }} />;
}
