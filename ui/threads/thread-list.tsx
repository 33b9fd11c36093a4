// The list itself: as long as it may be, only what can be seen is in the page. Tab reaches one row, arrow keys the others.
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { Thread, ThreadListState } from "../data/types.ts";
import { Button, Spinner } from "../kit/index.ts";
import type { Row } from "./rows.ts";
import { ThreadRow } from "./thread-row.tsx";
import styles from "./threads.module.css";

export interface ThreadListProps {
  rows: readonly Row[];
  search: string;
  currentId: string | undefined;
  more: ThreadListState["more"];
  loadMore: () => void;
  onRename: (thread: Thread) => void;
  onDelete: (thread: Thread) => void;
}

/** Rows that are drawn beyond those that can be seen. */
const BEYOND = 6;
const ROW_HEIGHT = 58;

export function ThreadList(props: ThreadListProps) {
  const { rows, search, currentId, more, loadMore, onRename, onDelete } = props;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.thread.id ?? index,
    overscan: BEYOND,
  });
  const { reachable, reach, walk } = useWalk(props, box, virtual);
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? -1) >= rows.length - BEYOND;
  const load = useEffectEvent(loadMore);
  // Not again for a page that failed: only what came, or scrolling, asks for more.
  useEffect(() => {
    if (more === true && isNearEnd) load();
  }, [more, isNearEnd, rows.length]);
  const given = { search, onRename, onDelete };
  return (
    <div ref={box} className={styles["scroll"]} onKeyDown={walk}>
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
              onFocus={() => reach(id)}
            >
              <ThreadRow {...row} {...given} current={id === currentId} reachable={id === reachable} />
            </li>
          );
        })}
      </ul>
      {more !== false && <More hasFailed={more === "failed"} loadMore={loadMore} />}
    </div>
  );
}

function More({ hasFailed, loadMore }: { hasFailed: boolean; loadMore: () => void }) {
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

interface Walk {
  /** The thread whose row Tab reaches. */
  reachable: string | undefined;
  reach: (id: string) => void;
  walk: (event: KeyboardEvent) => void;
}

function useWalk(
  { rows, currentId, onRename, onDelete }: ThreadListProps,
  box: RefObject<HTMLElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
): Walk {
  const [reached, reach] = useState<string>();
  const isThere = (id: string | undefined): boolean => rows.some(({ thread }) => thread.id === id);
  // A row that is far away has to be drawn before it can have the focus.
  const wanted = useRef<string>(undefined);
  const focusWanted = (): void => {
    if (wanted.current === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`a[data-thread="${CSS.escape(wanted.current)}"]`);
    if (link === null || link === undefined) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  const go = (index: number): void => {
    const id = rows[index]?.thread.id;
    if (id === undefined) return;
    wanted.current = id;
    reach(id);
    virtual.scrollToIndex(index);
    focusWanted();
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
  return { reachable: [reached, currentId].find(isThere) ?? rows[0]?.thread.id, reach, walk };
}

/** The first row of the list gets the focus; from the search field. */
export function focusFirstRow(around: HTMLElement | null): void {
  around?.querySelector<HTMLElement>("a[data-thread]")?.focus();
}
