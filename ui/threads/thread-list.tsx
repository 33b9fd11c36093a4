// The list itself: as long as it may be, only what can be seen is in the page. Tab reaches one row, arrow keys the others.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Thread } from "../data/types.ts";
import { Spinner } from "../kit/index.ts";
import type { Row } from "./rows.ts";
import { ThreadRow } from "./thread-row.tsx";
import styles from "./threads.module.css";

export interface ThreadListProps {
  rows: readonly Row[];
  search: string;
  currentId: string | undefined;
  more: boolean;
  loadMore: () => void;
  onRename: (thread: Thread) => void;
  onDelete: (thread: Thread) => void;
}

/** Rows that are drawn beyond those that can be seen. */
const BEYOND = 6;
const ROW_HEIGHT = 60;

export function ThreadList({ rows, search, currentId, more, loadMore, onRename, onDelete }: ThreadListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<string>();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.thread.id ?? index,
    overscan: BEYOND,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (more && last >= rows.length - BEYOND) loadMore();
  }, [more, last, rows.length, loadMore]);
  const ids = rows.map(({ thread }) => thread.id);
  const reachable = [reached, currentId, ids[0]].find((id) => id !== undefined && ids.includes(id));
  const go = (index: number): void => {
    const id = ids[index];
    if (id === undefined) return;
    setReached(id);
    virtual.scrollToIndex(index);
    // The row may have to be drawn first.
    requestAnimationFrame(() => linkOf(box.current, id)?.focus());
  };
  return (
    <div ref={box} className={styles["scroll"]} onKeyDown={(event) => walk(event, ids, go, rows, { onRename, onDelete })}>
      <ul className={styles["list"]} aria-label="Conversations" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ key, index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { id } = row.thread;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={more ? -1 : rows.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
              onFocus={() => setReached(id)}
            >
              <ThreadRow
                {...row}
                search={search}
                current={id === currentId}
                reachable={id === reachable}
                onRename={onRename}
                onDelete={onDelete}
              />
            </li>
          );
        })}
      </ul>
      {more && (
        <div className={styles["more"]}>
          <Spinner label="Loading more" />
        </div>
      )}
    </div>
  );
}

function linkOf(box: HTMLElement | null, id: string): HTMLElement | null | undefined {
  return box?.querySelector<HTMLElement>(`a[data-thread="${CSS.escape(id)}"]`);
}

/** The first row of the list gets the focus; from the search field. */
export function focusFirstRow(around: HTMLElement | null): void {
  around?.querySelector<HTMLElement>("a[data-thread]")?.focus();
}

function walk(
  event: KeyboardEvent,
  ids: readonly string[],
  go: (index: number) => void,
  rows: readonly Row[],
  { onRename, onDelete }: Pick<ThreadListProps, "onRename" | "onDelete">,
): void {
  const link = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("a[data-thread]") : null;
  if (link === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = ids.indexOf(link.dataset["thread"] ?? "");
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: ids.length - 1 };
  const next = moves[event.key];
  const thread = rows[at]?.thread;
  if (next !== undefined) go(Math.min(Math.max(next, 0), ids.length - 1));
  else if (event.key === "F2" && thread !== undefined) onRename(thread);
  else if (event.key === "Delete" && thread !== undefined) onDelete(thread);
  else return;
  event.preventDefault();
}
