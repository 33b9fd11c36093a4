// Which rows are drawn, and where the reader is among them: opens at the end or at a message, stays where the reader is when
// bodies arrive above or an answer grows below, and follows an answer only while the reader is at the end.
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { defaultRangeExtractor, useVirtualizer, type Range, type ReactVirtualizer } from "@tanstack/react-virtual";
import type { Row } from "./rows.ts";

/** Nearer to the end than this counts as being there, in pixels. */
const END = 48;
/** Farther away than this, a way back to the end is offered. */
const NEAR_END = 120;
const ESTIMATES: Record<Row["role"], number> = { user: 132, assistant: 220, system: 96, developer: 96, tool: 96 };

type Rows = ReactVirtualizer<HTMLDivElement, HTMLDivElement>;

export interface MessageScroller {
  virtualizer: Rows;
  /** The reader is at the end, or there is nothing to scroll. */
  atEnd: boolean;
  /** Where the reader is brought, and kept until they decide otherwise. */
  setGoal: (goal: Goal) => void;
}

/** `pinned`: rows that stay drawn wherever the reader is, because something is being done in them. */
export function useMessageScroller(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  pinned: readonly (string | undefined)[],
): MessageScroller {
  const keys = useSteadyKeys(rows);
  const kept = pinned.map((key) => (key === undefined ? -1 : keys.indexOf(key))).filter((at) => at >= 0);
  const extra = kept.join(" ");
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => ESTIMATES[rows[at]?.role ?? "user"],
    getItemKey: useCallback((at: number) => keys[at] ?? at, [keys]),
    rangeExtractor: useCallback((range: Range) => withPinned(range, extra), [extra]),
    overscan: 5,
    paddingStart: 8,
    paddingEnd: 24,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: END,
  });
  useStillPlace(virtualizer);
  return { virtualizer, ...useGoal(scroller, virtualizer, keys) };
}

/** The same list while no row came or went: positions are then not computed anew. */
function useSteadyKeys(rows: readonly Row[]): readonly string[] {
  const held = useRef<readonly string[]>([]);
  const before = held.current;
  if (before.length !== rows.length || rows.some(({ key }, at) => key !== before[at])) {
    held.current = rows.map(({ key }) => key);
  }
  return held.current;
}

function withPinned(range: Range, extra: string): number[] {
  const shown = defaultRangeExtractor(range);
  if (extra === "") return shown;
  return [...new Set([...shown, ...extra.split(" ").map(Number)])].sort((a, b) => a - b);
}

/**
 * What changes its size above the reader moves the reader along. A row that is only partly above grows at its end, as an
 * answer does; unless it was just filled with its body, which was above as much as below.
 */
function useStillPlace(virtualizer: Rows): void {
  const filled = useRef(new Set<unknown>());
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ key, start, end }, _, instance) => {
    const reader = instance.scrollOffset ?? 0;
    const isFirst = !instance.itemSizeCache.has(key);
    const hasBody = instance.elementsCache.get(key)?.dataset["filled"] === "true";
    const justFilled = hasBody && !filled.current.has(key);
    if (hasBody) filled.current.add(key);
    return isFirst || justFilled ? start < reader : end <= reader;
  };
}

/** Where the reader wants to be: at the end, wherever that is, or at a row. */
type Goal = { to: "end" } | { to: "row"; key: string } | undefined;

/**
 * Brings the reader to their goal, and keeps them there while what is around it is measured and grows. Whoever scrolls, or
 * presses a key, decides anew.
 */
function useGoal(scroller: RefObject<HTMLDivElement | null>, virtualizer: Rows, keys: readonly string[]) {
  const goal = useRef<Goal>(undefined);
  const [atEnd, setAtEnd] = useState(true);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const signal = new AbortController();
    const on = { passive: true, signal: signal.signal };
    let last = element.scrollTop;
    const decide = (): void => void (goal.current?.to === "row" && (goal.current = undefined));
    for (const kind of ["touchmove", "pointerdown", "keydown"]) element.addEventListener(kind, decide, on);
    // A wheel is felt at once: before its first step is over, an answer may have grown.
    element.addEventListener("wheel", ({ deltaY }) => (deltaY < 0 ? void (goal.current = undefined) : decide()), on);
    element.addEventListener(
      "scroll",
      () => {
        const left = leftBelow(element);
        const isUpwards = element.scrollTop < last - 1;
        // At the very end, it is the list that became shorter.
        if (isUpwards && left > 1 && goal.current?.to === "end") goal.current = undefined;
        else if (!isUpwards && left <= END) goal.current ??= { to: "end" };
        last = element.scrollTop;
        setAtEnd(left <= NEAR_END);
      },
      on,
    );
    return () => signal.abort();
  }, [scroller]);
  const go = (): void => {
    if (scroller.current !== null) approach(scroller.current, virtualizer, goal.current, keys);
  };
  useLayoutEffect(go);
  const setGoal = (next: Goal): void => {
    goal.current = next;
    go();
  };
  return { atEnd, setGoal };
}

const leftBelow = (element: HTMLElement): number => element.scrollHeight - element.scrollTop - element.clientHeight;

function approach(element: HTMLElement, virtualizer: Rows, goal: Goal, keys: readonly string[]): void {
  if (goal === undefined || keys.length === 0) return;
  if (goal.to === "end") {
    if (leftBelow(element) > 1) virtualizer.scrollToEnd();
    return;
  }
  const index = keys.indexOf(goal.key);
  const offset = index === -1 ? undefined : virtualizer.getOffsetForIndex(index, "start")?.[0];
  if (offset !== undefined && Math.abs(element.scrollTop - offset) > 1) {
    virtualizer.scrollToIndex(index, { align: "start" });
  }
}

/**
 * Goes where the address leads as soon as that is there, once for each address. Until then, and where it leads nowhere, the
 * end is shown.
 */
export function useArrival(
  setGoal: MessageScroller["setGoal"],
  rows: readonly Row[],
  wish: string | undefined,
  onArrive: () => void,
): void {
  const done = useRef<string | undefined>(undefined);
  const isOpened = useRef(false);
  useLayoutEffect(() => {
    if (rows.length === 0 || (isOpened.current && done.current === wish)) return;
    if (!isOpened.current) setGoal({ to: "end" });
    isOpened.current = true;
    const row = wish === undefined ? undefined : rows[rowOf(rows, wish)];
    if (wish !== undefined && row === undefined) return;
    done.current = wish;
    if (row === undefined) return;
    setGoal({ to: "row", key: row.key });
    onArrive();
  });
}

/** The row that holds a message; -1: none. */
export function rowOf(rows: readonly Row[], messageId: string): number {
  return rows.findIndex((row) => row.kind === "message" && row.ids.includes(messageId));
}
