// Where the tree of branches is shown: beside the messages, or on a phone as a sheet over them.
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { Tree } from "../branches/tree.ts";
import { keep, readKept } from "../kit/index.ts";
import { useCommands } from "./context.ts";
import styles from "./conversation-view.module.css";

const TreePanel = lazy(async () => ({ default: (await import("../branches/tree-panel.tsx")).TreePanel }));

const KEPT = "branches";
const NARROW = "(max-width: 60rem)";

export interface TreeShown {
  is: boolean;
  /** It was asked for by a key: whoever did goes on there. */
  takesFocus: boolean;
  toggle: () => void;
  byKey: () => void;
}

/** Shown or not; on wide windows the choice is kept in this browser. */
export function useTreeShown(): TreeShown {
  const [is, setShown] = useState(() => !matchMedia(NARROW).matches && readKept(KEPT) === "shown");
  const [takesFocus, setTakesFocus] = useState(false);
  const before = useRef<Element>(null);
  const change = (isByKey: boolean): void => {
    if (is) giveBackFocus(before.current);
    else before.current = document.activeElement;
    setTakesFocus(isByKey);
    setShown(!is);
    if (!matchMedia(NARROW).matches) keep(KEPT, is ? "hidden" : "shown");
  };
  return { is, takesFocus, toggle: () => change(false), byKey: () => change(true) };
}

/** To where it was before the tree was shown, where it is in the tree; else to the button that shows the tree. */
function giveBackFocus(before: Element | null): void {
  const focused = document.activeElement;
  if (focused !== null && focused !== document.body && focused.closest("[data-tree]") === null) return;
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
  const to = isThere ? before : document.querySelector<HTMLElement>("[data-tree-button]");
  // A sheet over the page lets go of the focus when it is closed.
  setTimeout(() => to?.focus({ preventScroll: true }));
}

interface TreeSideProps {
  tree: Tree;
  path: readonly string[];
  takesFocus: boolean;
  onClose: () => void;
}

export function TreeSide({ tree, path, takesFocus, onClose }: TreeSideProps) {
  const { goTo } = useCommands();
  const isNarrow = useSyncExternalStore(whenWidthChanges, () => matchMedia(NARROW).matches);
  const select = (id: string): void => {
    goTo(id);
    if (isNarrow) onClose();
  };
  const panel = (
    <Suspense>
      <TreePanel {...{ tree, path, takesFocus, onClose }} onSelect={select} />
    </Suspense>
  );
  return isNarrow ? (
    <Sheet onClose={onClose}>{panel}</Sheet>
  ) : (
    <aside className={styles["side"]} data-tree>
      {panel}
    </aside>
  );
}

function whenWidthChanges(tell: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", tell);
  return () => query.removeEventListener("change", tell);
}

function Sheet({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={styles["sheet"]}
      data-tree
      aria-label="Branches"
      closedby="any"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={onClose}
    >
      {children}
    </dialog>
  );
}
