// Shows the button that adds the rest of a text of which only the beginning is shown.
import { Button, formatBytes } from "../kit/index.ts";
import styles from "./blocks.module.css";
import type { PartialText } from "./use-partial-text.ts";

export function ShowAllButton({ shown }: { shown: PartialText }) {
  if (shown.hiddenLength === 0) return null;
  return (
    <div className={styles["more"]}>
      <Button small icon="chevron-down" busy={shown.isAdding} onClick={shown.showAll}>
        Show all ({formatBytes(shown.hiddenLength)} more)
      </Button>
    </div>
  );
}
