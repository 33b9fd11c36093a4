// Shows the branch tree beside a conversation: all branches, with the active, replaced and interrupted messages marked.
import { useEffect, useEffectEvent, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { IconButton } from "../kit/index.ts";
import { layoutTree, type TreeLayout, type TreeRow } from "./tree-layout.ts";
import { findKeyTarget } from "./tree-keys.ts";
import { ROW_HEIGHT, TreeItem } from "./tree-item.tsx";
import styles from "./tree-panel.module.css";
import { listSiblings, type BranchTree } from "./branch-tree.ts";

export interface TreePanelProps {
  tree: BranchTree;
  /** Ids from the root to the active leaf. */
  path: readonly string[];
  /** True if the tree takes the keyboard focus when it is mounted. */
  takesFocus?: boolean;
  /** Shows a message; if the message is on another branch, switches to that branch. */
  onSelect: (messageId: string) => void;
  onClose: () => void;
}

export function TreePanel({ tree, path, takesFocus = false, onSelect, onClose }: TreePanelProps) {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const layout = useMemo(() => layoutTree({ tree, path, expanded }), [tree, path, expanded]);
  const expand = (id: string): void => setExpanded((before) => new Set([...before, id]));
  const branches = useMemo(() => countBranches(tree), [tree]);
  return (
    <section className={styles["panel"]} aria-label="Branches">
      <header className={styles["head"]}>
        <h2>Branches</h2>
        <span className={styles["count"]}>{branches === 1 ? "one" : branches}</span>
        <IconButton label="Hide branches" icon="close" size={16} onClick={onClose} />
      </header>
      {layout.rows.length === 0 ? (
        <p className={styles["empty"]}>There are no messages yet.</p>
      ) : (
        <TreeRows {...{ tree, layout, takesFocus, expand, onSelect }} />
      )}
    </section>
  );
}

/** Returns the number of branches, which is the number of leaves. */
function countBranches({ nodes, children }: BranchTree): number {
  let leaves = 0;
  for (const id of nodes.keys()) if (!children.has(id)) leaves++;
  return leaves;
}

interface TreeRowsProps {
  tree: BranchTree;
  layout: TreeLayout;
  takesFocus: boolean;
  expand: (id: string) => void;
  onSelect: (messageId: string) => void;
}

function TreeRows({ tree, layout, takesFocus, expand, onSelect }: TreeRowsProps) {
  const { rows, leafRow } = layout;
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const focusedIndex = rows.findIndex(({ id }) => id === focused);
  const current = focusedIndex === -1 ? Math.max(0, leafRow) : focusedIndex;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    // The list opens with the active leaf visible, six rows below the top.
    initialOffset: () => Math.max(0, (leafRow - 6) * ROW_HEIGHT),
  });
  const takeFocus = useEffectEvent(() => {
    if (takesFocus) focusWhenDrawn(scroller.current, current);
  });
  useEffect(() => takeFocus(), []);
  const activate = (row: TreeRow): void => {
    setFocused(row.id);
    if (row.kind === "gap") expand(row.id);
    else if (row.kind === "message") onSelect(row.id);
  };
  const moveTo = (index: number): void => {
    setFocused(rows[index]?.id);
    virtualizer.scrollToIndex(index);
    focusWhenDrawn(scroller.current, index);
  };
  return (
    <div ref={scroller} className={styles["scroller"]}>
      <div
        role="tree"
        aria-label="Branches of the conversation"
        className={styles["rows"]}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={(event) => handleTreeKey(event, rows, current, { activate, moveTo })}
      >
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <TreeItem
              key={`${row.kind} ${row.id}`}
              {...{ row, index, start }}
              node={tree.nodes.get(row.id)}
              versions={row.kind === "message" ? listSiblings(tree, row.id).length : 1}
              lanes={layout.lanes}
              isLeaf={index === leafRow}
              isActiveBelow={index < leafRow}
              current={index === current}
              onActivate={() => activate(row)}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TreeKeyActions {
  activate: (row: TreeRow) => void;
  moveTo: (index: number) => void;
}

function handleTreeKey(
  event: KeyboardEvent,
  rows: readonly TreeRow[],
  current: number,
  { activate, moveTo }: TreeKeyActions,
): void {
  const row = rows[current];
  if (row === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  if (key === "Enter" || key === " " || (key === "ArrowRight" && row.kind === "gap")) activate(row);
  else {
    const next = findKeyTarget(rows, current, key);
    if (next === undefined) return;
    moveTo(next);
  }
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Focuses a row. A row outside the viewport is not rendered yet; in this case the function tries again in the next
 * frames, at most `retries` times.
 */
function focusWhenDrawn(scroller: HTMLElement | null, index: number, retries = 5): void {
  const row = scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  if (row !== null && row !== undefined) row.focus({ preventScroll: true });
  else if (retries > 0) requestAnimationFrame(() => focusWhenDrawn(scroller, index, retries - 1));
}
