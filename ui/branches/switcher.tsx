// ‹ 2/3 ›: turns between what stands in one place of a conversation.
import { IconButton } from "../kit/index.ts";
import styles from "./switcher.module.css";

export interface SwitcherProps<Each> {
  /** Oldest first. */
  siblings: readonly Each[];
  /** The one that is shown. */
  at: number;
  onTurn: (sibling: Each) => void;
}

export function BranchSwitcher<Each>({ siblings, at, onTurn }: SwitcherProps<Each>) {
  const turn = (by: number) => () => {
    const sibling = siblings[at + by];
    if (sibling !== undefined) onTurn(sibling);
  };
  const count = siblings.length;
  // Not disabled at either end: whoever turns to the last one keeps the focus on the button.
  return (
    <span className={styles["switcher"]} role="group" aria-label={`Version ${at + 1} of ${count}`}>
      <IconButton label="Previous version" icon="chevron-left" size={14} aria-disabled={at <= 0} onClick={turn(-1)} />
      <span className={styles["place"]} aria-hidden="true">
        {at + 1}/{count}
      </span>
      <IconButton
        label="Next version"
        icon="chevron-right"
        size={14}
        aria-disabled={at >= count - 1}
        onClick={turn(1)}
      />
    </span>
  );
}
