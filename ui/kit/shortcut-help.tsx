// Which keys do what on the view that is shown.
import { Fragment, useState } from "react";
import { Dialog } from "./dialog.tsx";
import kit from "./kit.module.css";
import { isSingleKey, keyNames, useShortcut, useShortcuts, useSingleKeys } from "./shortcuts.ts";
import styles from "./shortcut-help.module.css";

/** The dialog on `?`; shown once, in the frame. */
export function ShortcutHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  useShortcut("?", () => onOpenChange(true), "Show the keys");
  return (
    <Dialog open={open} onClose={() => onOpenChange(false)} title="Keys">
      <SingleKeys />
      <KeyList />
    </Dialog>
  );
}

function SingleKeys() {
  const [isOn, turn] = useSingleKeys();
  return (
    <label className={styles["switch"]}>
      <input type="checkbox" checked={isOn} onChange={(event) => turn(event.target.checked)} />
      Single-key shortcuts
    </label>
  );
}

function KeyList() {
  const shortcuts = useShortcuts();
  const [isOn] = useSingleKeys();
  // A view may have been there before: each description once, the last one registered.
  const [known] = useState(() => [...new Map(shortcuts.map((each) => [each.description, each])).values()]);
  return (
    <dl className={styles["keys"]}>
      {known.map(({ keys, description }) => (
        <Fragment key={description}>
          <dt data-off={!isOn && keys.every(isSingleKey)}>
            {keys.map((key, at) => (
              <Fragment key={key}>
                {at > 0 && " or "}
                {keyNames(key).map((name) => (
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
