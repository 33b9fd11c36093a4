// Shows the branch switcher ‹ 2/3 ›: buttons to the previous and the next sibling of a message.
import { IconButton } from "../kit/index.ts";
import styles from "./branch-switcher.module.css";

export interface BranchSwitcherProps<Each> {
  /** Messages or runs with the same parent, including the shown one, oldest first. */
  siblings: readonly Each[];
  /** Index of the shown sibling. */
  index: number;
  onSelect: (sibling: Each) => void;
}

export function BranchSwitcher<Each>({ siblings, index, onSelect }: BranchSwitcherProps<Each>) {
  const selectBy = (by: number) => () => {
    const sibling = siblings[index + by];
    if (sibling !== undefined) onSelect(sibling);
  };
  const count = siblings.length;
  // At the first and last sibling, a button uses `aria-disabled`, because a `disabled` button would lose the keyboard
  // focus.
  return (
    <span className={styles["switcher"]} role="group" aria-label={`Version ${index + 1} of ${count}`}>
      <IconButton
        label="Previous version"
        icon="chevron-left"
        size={14}
        aria-disabled={index <= 0}
        onClick={selectBy(-1)}
      />
      <span className={styles["place"]} aria-hidden="true">
        {index + 1}/{count}
      </span>
      <IconButton
        label="Next version"
        icon="chevron-right"
        size={14}
        aria-disabled={index >= count - 1}
        onClick={selectBy(1)}
      />
    </span>
  );
}
