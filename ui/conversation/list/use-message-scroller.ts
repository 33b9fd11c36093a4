// Virtual scrolling of the message list: opens at the end or at a message, keeps the position when bodies load above or
// an answer grows below, and follows a growing answer only while the user is at the end.
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import {
  defaultRangeExtractor,
  elementScroll,
  useVirtualizer,
  type Range,
  type ReactVirtualizer,
} from "@tanstack/react-virtual";
import type { ScrollPosition } from "./scroll-positions.ts";
import type { ConversationRow } from "../rows/build-rows.ts";

/** Distance that counts as being at the end. */
const END_TOLERANCE_PX = 48;
/** Distance beyond which the "Jump to latest" button is shown. */
const JUMP_BUTTON_DISTANCE_PX = 120;
const ESTIMATED_HEIGHTS: Record<ConversationRow["role"], number> = {
  user: 132,
  assistant: 220,
  system: 96,
  developer: 96,
  tool: 96,
};

type RowVirtualizer = ReactVirtualizer<HTMLDivElement, HTMLDivElement>;

export interface MessageScroller {
  virtualizer: RowVirtualizer;
  /** The list is scrolled to its end, or has nothing to scroll. */
  atEnd: boolean;
  /** Scrolls to a goal, and stays there until the user scrolls. */
  setGoal: (goal: ScrollGoal) => void;
  /** Returns the current scroll position. */
  readPosition: () => ScrollPosition | undefined;
}

/** `pinned`: keys of rows that stay rendered anywhere, because they have the focus or an open editor. */
export function useMessageScroller(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly ConversationRow[],
  pinned: readonly (string | undefined)[],
): MessageScroller {
  const keys = useStableKeys(rows);
  const pinnedIndexes = pinned.map((key) => (key === undefined ? -1 : keys.indexOf(key))).filter((at) => at >= 0);
  const pinnedText = pinnedIndexes.join(" ");
  const [intent] = useState(() => new ScrollIntent());
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => ESTIMATED_HEIGHTS[rows[at]?.role ?? "user"],
    getItemKey: useCallback((at: number) => keys[at] ?? at, [keys]),
    rangeExtractor: useCallback((range: Range) => withPinned(range, pinnedText), [pinnedText]),
    overscan: 5,
    paddingStart: 8,
    paddingEnd: 24,
    anchorTo: "end",
    // The scroll goal decides whether the end is followed.
    followOnAppend: false,
    scrollEndThreshold: 1,
    scrollToFn: (offset, how, instance) => {
      const element = scroller.current;
      if (element !== null && intent.detectUserScroll(element)) return void (intent.hasUserScrolled = true);
      elementScroll(offset, how, instance);
      if (element !== null) intent.storePosition(element);
    },
  });
  useScrollAdjustment(virtualizer);
  return { virtualizer, ...useScrollGoal(scroller, virtualizer, keys, intent) };
}

/** Returns the same list while the keys are unchanged, so that positions are not computed again. */
function useStableKeys(rows: readonly ConversationRow[]): readonly string[] {
  const keysRef = useRef<readonly string[]>([]);
  const previousKeys = keysRef.current;
  if (previousKeys.length !== rows.length || rows.some(({ key }, at) => key !== previousKeys[at])) {
    keysRef.current = rows.map(({ key }) => key);
  }
  return keysRef.current;
}

function withPinned(range: Range, pinnedText: string): number[] {
  const indexes = defaultRangeExtractor(range);
  if (pinnedText === "") return indexes;
  return [...new Set([...indexes, ...pinnedText.split(" ").map(Number)])].sort((a, b) => a - b);
}

/**
 * Adjusts the scroll position when a row above the viewport changes its size. A row that is partly above grows at its
 * end, as a streamed answer does; except when its body has just loaded.
 */
function useScrollAdjustment(virtualizer: RowVirtualizer): void {
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

/** The intended scroll position: the end, or an offset in pixels below the start of a row. */
type ScrollGoal = { to: "end" } | { to: "row"; rowKey: string; offset?: number } | undefined;

/**
 * The scroll goal, and the last position that this code set. Any other position means that the user scrolled, by key,
 * page search or scroll bar; this is checked before every programmatic scroll, because the scroll event arrives later.
 */
class ScrollIntent {
  goal: ScrollGoal;
  /** A programmatic scroll was skipped because the user had scrolled. */
  hasUserScrolled = false;
  #top: number | undefined;
  #height = 0;

  storePosition(element: HTMLElement): void {
    this.#top = element.scrollTop;
    this.#height = element.scrollHeight;
  }

  /**
   * Returns true if the user has scrolled since the last stored position; then the goal is dropped or set to the end.
   */
  detectUserScroll(element: HTMLElement): boolean {
    const top = this.#top;
    const height = this.#height;
    const newTop = element.scrollTop;
    this.storePosition(element);
    if (top === undefined || Math.abs(newTop - top) <= 1) return false;
    const distanceToEnd = measureDistanceToEnd(element);
    // The browser reduces the position when the list becomes shorter.
    if (newTop < top && distanceToEnd <= (this.#height < height ? END_TOLERANCE_PX : 1)) return false;
    this.goal = newTop > top && distanceToEnd <= END_TOLERANCE_PX ? { to: "end" } : undefined;
    return true;
  }
}

/** Keys that scroll up; browsers animate this in steps. */
const UPWARD_KEYS = new Set(["Home", "PageUp", "ArrowUp"]);

/**
 * Scrolls to the goal, and keeps it while rows are measured and grow. Scrolling or a key press of the user ends the
 * goal.
 */
function useScrollGoal(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: RowVirtualizer,
  keys: readonly string[],
  intent: ScrollIntent,
): Omit<MessageScroller, "virtualizer"> {
  const [atEnd, setAtEnd] = useState(true);
  const scrollToGoal = (): void => {
    const element = scroller.current;
    if (element === null) return;
    // The virtualizer may have planned a scroll; the user's position wins.
    const hasUserScrolled = intent.detectUserScroll(element) || intent.hasUserScrolled;
    intent.hasUserScrolled = false;
    if (hasUserScrolled) virtualizer.cancelScroll();
    else scrollTowards(element, virtualizer, intent.goal, keys);
  };
  const latest = useRef(scrollToGoal);
  useLayoutEffect(() => {
    latest.current = scrollToGoal;
    scrollToGoal();
  });
  useEffect(() => {
    const element = scroller.current;
    return element === null ? undefined : observeScrolling(element, intent, () => latest.current(), setAtEnd);
  }, [scroller, intent]);
  const setGoal = (next: ScrollGoal): void => {
    if (scroller.current !== null) intent.storePosition(scroller.current);
    intent.goal = next;
    scrollToGoal();
  };
  return { atEnd, setGoal, readPosition: () => readPositionIn(scroller.current, virtualizer, intent.goal) };
}

function observeScrolling(
  element: HTMLElement,
  intent: ScrollIntent,
  scrollToGoal: () => void,
  setAtEnd: (atEnd: boolean) => void,
): () => void {
  const signal = new AbortController();
  const on = { passive: true, signal: signal.signal };
  const leaveRow = (): void => void (intent.goal?.to === "row" && (intent.goal = undefined));
  const leave = (): void => void (element.scrollTop > 0 && (intent.goal = undefined));
  for (const kind of ["touchmove", "pointerdown", "keydown"]) element.addEventListener(kind, leaveRow, on);
  // Handled at once: an answer may grow before the first scroll event of a wheel or key.
  element.addEventListener("wheel", ({ deltaY }) => (deltaY < 0 ? leave() : leaveRow()), on);
  element.addEventListener(
    "keydown",
    ({ key, target }) => {
      const isTyping = target instanceof Element && target.closest("textarea, input") !== null;
      if (UPWARD_KEYS.has(key) && !isTyping) leave();
    },
    on,
  );
  element.addEventListener(
    "scroll",
    () => {
      const distanceToEnd = measureDistanceToEnd(element);
      if (intent.detectUserScroll(element)) intent.hasUserScrolled = true;
      if (intent.hasUserScrolled) scrollToGoal();
      else if (distanceToEnd <= 1) intent.goal ??= { to: "end" };
      setAtEnd(distanceToEnd <= JUMP_BUTTON_DISTANCE_PX);
    },
    on,
  );
  // The composer below the list may grow; the end must stay visible.
  const sizes = new ResizeObserver(scrollToGoal);
  sizes.observe(element);
  return () => {
    signal.abort();
    sizes.disconnect();
  };
}

const measureDistanceToEnd = (element: HTMLElement): number =>
  element.scrollHeight - element.scrollTop - element.clientHeight;

function scrollTowards(
  element: HTMLElement,
  virtualizer: RowVirtualizer,
  goal: ScrollGoal,
  keys: readonly string[],
): void {
  if (goal === undefined || keys.length === 0) return;
  if (goal.to === "end") {
    if (measureDistanceToEnd(element) > 1) virtualizer.scrollToEnd();
    return;
  }
  const { rowKey, offset = 0 } = goal;
  const index = keys.indexOf(rowKey);
  const rowStart = index === -1 ? undefined : virtualizer.getOffsetForIndex(index, "start")?.[0];
  if (rowStart === undefined) return;
  const targetOffset = Math.min(rowStart + offset, element.scrollHeight - element.clientHeight);
  if (Math.abs(element.scrollTop - targetOffset) <= 1) return;
  if (offset === 0) virtualizer.scrollToIndex(index, { align: "start" });
  else virtualizer.scrollToOffset(targetOffset);
}

function readPositionIn(
  element: HTMLElement | null,
  virtualizer: RowVirtualizer,
  goal: ScrollGoal,
): ScrollPosition | undefined {
  if (element === null || goal?.to === "end") return undefined;
  const item = virtualizer.getVirtualItemForOffset(element.scrollTop);
  return item === undefined ? undefined : { rowKey: String(item.key), offset: element.scrollTop - item.start };
}

export interface ArrivalOptions {
  /** The message in the URL. */
  targetId: string | undefined;
  /** Distinguishes two visits of the same URL. */
  linkCount: number;
  /** Saved position, after back or forward navigation. */
  savedPosition: ScrollPosition | undefined;
  onArrive: () => void;
}

/**
 * Scrolls to the message of the URL once per visit, when it is loaded. Before that, and without a target, the list
 * shows its end.
 */
export function useArrival(
  setGoal: MessageScroller["setGoal"],
  rows: readonly ConversationRow[],
  { targetId, linkCount, savedPosition, onArrive }: ArrivalOptions,
): void {
  const arrivedAt = useRef<string | undefined>(undefined);
  const isOpened = useRef(false);
  const arrivalKey = targetId === undefined ? undefined : `${linkCount} ${targetId}`;
  useLayoutEffect(() => {
    if (rows.length === 0 || (isOpened.current && arrivedAt.current === arrivalKey)) return;
    const isReturning =
      !isOpened.current && savedPosition !== undefined && rows.some(({ key }) => key === savedPosition.rowKey);
    if (!isOpened.current) setGoal(isReturning ? { to: "row", ...savedPosition } : { to: "end" });
    isOpened.current = true;
    if (isReturning) arrivedAt.current = arrivalKey;
    if (isReturning) return;
    const row = targetId === undefined ? undefined : rows[findRowIndex(rows, targetId)];
    if (targetId !== undefined && row === undefined) return;
    arrivedAt.current = arrivalKey;
    if (row === undefined) return;
    setGoal({ to: "row", rowKey: row.key });
    onArrive();
  });
}

/** Returns the index of the row that contains a message, or -1. */
export function findRowIndex(rows: readonly ConversationRow[], messageId: string): number {
  return rows.findIndex((row) => row.kind === "message" && row.ids.includes(messageId));
}
