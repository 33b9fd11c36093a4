// Where the tree of branches is shown: beside the messages, or on a phone as a sheet over them.
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { TreePanel } from "../branches/tree-panel.tsx";
import type { Tree } from "../branches/tree.ts";
import { useCommands } from "./context.ts";
import styles from "./conversation-view.module.css";

const KEPT = "koine.branches";
const NARROW = "(max-width: 60rem)";

/** Shown or not; on wide windows the choice is kept in this browser. */
export function useTreeShown(): [boolean, () => void] {
  const [isShown, setShown] = useState(() => !matchMedia(NARROW).matches && localStorage.getItem(KEPT) === "shown");
  const toggle = (): void => {
    setShown(!isShown);
    if (!matchMedia(NARROW).matches) localStorage.setItem(KEPT, isShown ? "hidden" : "shown");
  };
  return [isShown, toggle];
}

interface TreeSideProps {
  tree: Tree;
  path: readonly string[];
  onClose: () => void;
}

export function TreeSide({ tree, path, onClose }: TreeSideProps) {
  const { goTo } = useCommands();
  const isNarrow = useSyncExternalStore(whenWidthChanges, () => matchMedia(NARROW).matches);
  const select = (id: string): void => {
    goTo(id);
    if (isNarrow) onClose();
  };
  const panel = <TreePanel {...{ tree, path, onClose }} onSelect={select} />;
  return isNarrow ? <Sheet onClose={onClose}>{panel}</Sheet> : <aside className={styles["side"]}>{panel}</aside>;
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
