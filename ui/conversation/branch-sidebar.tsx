// The branch tree: a sidebar beside the messages, or a sheet over them on narrow screens.
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
  /** Opened by key: the tree gets the focus. */
  takesFocus: boolean;
  toggle: () => void;
  toggleByKey: () => void;
}

/** Visibility of the tree; on wide screens stored in localStorage. */
export function useTreeToggle(): TreeToggle {
  const [is, setShown] = useState(() => !matchMedia(NARROW_SCREEN).matches && readStored(STORAGE_KEY) === "shown");
  const [takesFocus, setTakesFocus] = useState(false);
  const focusedBefore = useRef<Element>(null);
  const change = (isByKey: boolean): void => {
    if (is) restoreFocus(focusedBefore.current);
    else focusedBefore.current = document.activeElement;
    setTakesFocus(isByKey);
    setShown(!is);
    if (!matchMedia(NARROW_SCREEN).matches) writeStored(STORAGE_KEY, is ? "hidden" : "shown");
  };
  return { isShown: is, takesFocus, toggle: () => change(false), toggleByKey: () => change(true) };
}

/**
 * If the focus is in the tree, returns it to the element that had it before, else to the button that opens the tree.
 */
function restoreFocus(focusedBefore: Element | null): void {
  const focused = document.activeElement;
  if (focused !== null && focused !== document.body && focused.closest("[data-tree]") === null) return;
  const isThere = focusedBefore instanceof HTMLElement && focusedBefore.isConnected && focusedBefore !== document.body;
  const to = isThere ? focusedBefore : document.querySelector<HTMLElement>("[data-tree-button]");
  // Delayed: a modal dialog releases the focus only when it is closed.
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
