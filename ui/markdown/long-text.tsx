// What stands below a text of which only the beginning is shown.
import { Button, formatBytes } from "../kit/index.ts";
import styles from "./blocks.module.css";
import type { Shown } from "./shown.ts";

export function RestOfText({ shown }: { shown: Shown }) {
  if (shown.hidden === 0) return null;
  return (
    <div className={styles["more"]}>
      <Button small icon="chevron-down" busy={shown.adding} onClick={shown.showAll}>
        Show all ({formatBytes(shown.hidden)} more)
      </Button>
    </div>
  );
}
