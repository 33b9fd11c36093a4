// Shows the dialog that lists the keyboard shortcuts of the current view.
import { Fragment, useState } from "react";
import { Dialog } from "./dialog.tsx";
import kit from "./kit.module.css";
import { isSingleKey, listKeyNames, useShortcut, useShortcuts, useSingleKeys } from "./shortcuts.ts";
import styles from "./shortcut-help.module.css";

/** Shows the dialog if `open` is true, and registers the shortcut `?`, which opens it. The frame renders it once. */
export function ShortcutHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  useShortcut("?", () => onOpenChange(true), "Show keyboard shortcuts");
  return (
    <Dialog open={open} onClose={() => onOpenChange(false)} title="Keyboard shortcuts">
      <SingleKeySwitch />
      <KeyList />
    </Dialog>
  );
}

function SingleKeySwitch() {
  const [isOn, setOn] = useSingleKeys();
  return (
    <label className={styles["switch"]}>
      <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.target.checked)} />
      Single-key shortcuts
    </label>
  );
}

function KeyList() {
  const shortcuts = useShortcuts();
  const [isOn] = useSingleKeys();
  // If several shortcuts have the same description, only the last registered one is listed.
  const [uniqueShortcuts] = useState(() => [...new Map(shortcuts.map((each) => [each.description, each])).values()]);
  return (
    <dl className={styles["keys"]}>
      {uniqueShortcuts.map(({ keys, description }) => (
        <Fragment key={description}>
          <dt data-off={!isOn && keys.every(isSingleKey)}>
            {keys.map((key, at) => (
              <Fragment key={key}>
                {at > 0 && " or "}
                {listKeyNames(key).map((name) => (
                  <kbd key={name} className={kit["key"]}>
                    {name}
                  </kbd>
                ))}
              </Fragment>
            ))}
          </dt>
          <dd>{description}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
