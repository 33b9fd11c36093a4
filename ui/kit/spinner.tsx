// Shows a progress spinner, with a label for screen readers.
import styles from "./kit.module.css";

export interface SpinnerProps {
  /** Text for screen readers, such as "Loading the run"; undefined if the text beside the spinner already states it. */
  label?: string;
  /** Width and height in pixels; 16 by default. */
  size?: number;
}

export function Spinner({ label, size = 16 }: SpinnerProps) {
  const accessibility = label === undefined ? { "aria-hidden": true } : { role: "status", "aria-label": label };
  return <span {...accessibility} className={styles["spinner"]} style={{ width: size, height: size }} />;
}
