// Shows the thread list, of which only the rows in and near the viewport are rendered. One row is in the tab order;
// arrow keys move to the other rows.
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { ThreadJson, ThreadListState } from "../data/types.ts";
import { Button, Spinner } from "../kit/index.ts";
import type { ThreadListRow } from "./thread-rows.ts";
import { ThreadRow } from "./thread-row.tsx";
import styles from "./threads.module.css";

export interface ThreadListProps {
  rows: readonly ThreadListRow[];
  search: string;
  currentId: string | undefined;
  more: ThreadListState["more"];
  loadMore: () => void;
  onRename: (thread: ThreadJson) => void;
  onDelete: (thread: ThreadJson) => void;
}

/** Number of rows that are rendered above and below the visible rows. */
const OVERSCAN_ROWS = 6;
const ROW_HEIGHT = 58;

export function ThreadList(props: ThreadListProps) {
  const { rows, search, currentId, more, loadMore, onRename, onDelete } = props;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.thread.id ?? index,
    overscan: OVERSCAN_ROWS,
  });
  const { tabStopId, setTabStop, handleKey } = useRowNavigation(props, box, virtual);
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? -1) >= rows.length - OVERSCAN_ROWS;
  const load = useEffectEvent(loadMore);
  // Loads the next page when the user scrolls near the end of the list, or when new rows are not enough to move the end
  // away. After a failed load, `more` is "failed", so the page is requested again only by the user.
  useEffect(() => {
    if (more === true && isNearEnd) load();
  }, [more, isNearEnd, rows.length]);
  const rowProps = { search, onRename, onDelete };
  return (
    <div ref={box} className={styles["scroll"]} onKeyDown={handleKey}>
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
              aria-setsize={more === false ? rows.length : -1}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
              onFocus={() => setTabStop(id)}
            >
              <ThreadRow {...row} {...rowProps} current={id === currentId} isTabStop={id === tabStopId} />
            </li>
          );
        })}
      </ul>
      {more !== false && <LoadMore hasFailed={more === "failed"} loadMore={loadMore} />}
    </div>
  );
}

function LoadMore({ hasFailed, loadMore }: { hasFailed: boolean; loadMore: () => void }) {
  return (
    <div className={styles["more"]}>
      {hasFailed ? (
        <Button small icon="refresh" onClick={loadMore}>
          Load more
        </Button>
      ) : (
        <Spinner label="Loading more" />
      )}
    </div>
  );
}

interface RowNavigation {
  /** Id of the thread whose row is in the tab order. */
  tabStopId: string | undefined;
  setTabStop: (id: string) => void;
  handleKey: (event: KeyboardEvent) => void;
}

function useRowNavigation(
  { rows, currentId, onRename, onDelete }: ThreadListProps,
  box: RefObject<HTMLElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
): RowNavigation {
  const [reached, reach] = useState<string>();
  const isThere = (id: string | undefined): boolean => rows.some(({ thread }) => thread.id === id);
  // Id of the thread whose row takes the focus after the next render; a row outside the viewport does not exist before
  // that render.
  const pendingFocusId = useRef<string>(undefined);
  const focusPending = (): void => {
    if (pendingFocusId.current === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`a[data-thread="${CSS.escape(pendingFocusId.current)}"]`);
    if (link === null || link === undefined) return;
    pendingFocusId.current = undefined;
    link.focus({ preventScroll: true });
  };
  useEffect(focusPending);
  const go = (index: number): void => {
    const id = rows[index]?.thread.id;
    if (id === undefined) return;
    pendingFocusId.current = id;
    reach(id);
    virtual.scrollToIndex(index);
    focusPending();
  };
  const walk = (event: KeyboardEvent): void => {
    const link = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("a[data-thread]") : null;
    const at = rows.findIndex(({ thread }) => thread.id === link?.dataset["thread"]);
    const thread = rows[at]?.thread;
    if (thread === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const end = rows.length - 1;
    const moves: Record<string, number> = { ArrowDown: Math.min(at + 1, end), ArrowUp: at - 1, Home: 0, End: end };
    const next = moves[event.key];
    if (next !== undefined) go(Math.max(next, 0));
    else if (event.key === "F2") onRename(thread);
    else if (event.key === "Delete") onDelete(thread);
    else return;
    event.preventDefault();
  };
  return { tabStopId: [reached, currentId].find(isThere) ?? rows[0]?.thread.id, setTabStop: reach, handleKey: walk };
}

/** Focuses the first row of the list. The search field uses it to move to the results. */
export function focusFirstRow(container: HTMLElement | null): void {
  container?.querySelector<HTMLElement>("a[data-thread]")?.focus();
}
