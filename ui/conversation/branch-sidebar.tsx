// Shows the branch tree: as a sidebar beside the messages, or as a sheet over them on narrow screens.
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { BranchTree } from "../branches/branch-tree.ts";
import { writeStored, readStored } from "../kit/index.ts";
import { useCommands } from "./rows/row-commands.ts";
import styles from "./conversation-view.module.css";

const TreePanel = lazy(async () => ({ default: (await import("../branches/tree-panel.tsx")).TreePanel }));

const STORAGE_KEY = "branches";
const NARROW_SCREEN = "(max-width: 60rem)";

export interface TreeToggle {
  isShown: boolean;
  /** True if the tree was opened by its shortcut and therefore takes the keyboard focus. */
  takesFocus: boolean;
  toggle: () => void;
  toggleByKey: () => void;
}

/**
 * Returns the visibility of the tree and functions that toggle it. On wide screens, localStorage stores the visibility.
 */
export function useTreeToggle(): TreeToggle {
  const [isShown, setShown] = useState(() => !matchMedia(NARROW_SCREEN).matches && readStored(STORAGE_KEY) === "shown");
  const [takesFocus, setTakesFocus] = useState(false);
  const focusedBefore = useRef<Element>(null);
  const change = (isByKey: boolean): void => {
    if (isShown) restoreFocus(focusedBefore.current);
    else focusedBefore.current = document.activeElement;
    setTakesFocus(isByKey);
    setShown(!isShown);
    if (!matchMedia(NARROW_SCREEN).matches) writeStored(STORAGE_KEY, isShown ? "hidden" : "shown");
  };
  return { isShown, takesFocus, toggle: () => change(false), toggleByKey: () => change(true) };
}

/**
 * Moves the focus, if it is in the tree or nowhere, to the element that had the focus before the tree was opened. If
 * that element no longer exists, the button that opens the tree gets the focus.
 */
function restoreFocus(focusedBefore: Element | null): void {
  const focused = document.activeElement;
  if (focused !== null && focused !== document.body && focused.closest("[data-tree]") === null) return;
  const isThere = focusedBefore instanceof HTMLElement && focusedBefore.isConnected && focusedBefore !== document.body;
  const to = isThere ? focusedBefore : document.querySelector<HTMLElement>("[data-tree-button]");
  // The focus is moved with a delay: on narrow screens the tree is in a modal dialog, which keeps the focus until it is
  // closed.
  setTimeout(() => to?.focus({ preventScroll: true }));
}

interface BranchSidebarProps {
  tree: BranchTree;
  path: readonly string[];
  takesFocus: boolean;
  onClose: () => void;
}

export function BranchSidebar({ tree, path, takesFocus, onClose }: BranchSidebarProps) {
  const { showMessage } = useCommands();
  const isNarrow = useSyncExternalStore(subscribeToWidth, () => matchMedia(NARROW_SCREEN).matches);
  const select = (id: string): void => {
    showMessage(id);
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

function subscribeToWidth(listener: () => void): () => void {
  const query = matchMedia(NARROW_SCREEN);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
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
