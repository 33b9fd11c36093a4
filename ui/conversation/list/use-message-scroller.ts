// Scrolls the message list, of which only the rows around the viewport are rendered. The list opens at its end or at a
// message, stays in place when messages load above the viewport or an answer grows below it, and follows a growing
// answer only while the user is at the end.
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

/** Distance from the end of the list, in pixels, up to which the list counts as scrolled to its end. */
const END_TOLERANCE_PX = 48;
/** Distance from the end of the list, in pixels, beyond which the "Jump to latest" button is shown. */
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
  /** True if the list is scrolled to its end or close to it; then the "Jump to latest" button is hidden. */
  atEnd: boolean;
  /**
   * Scrolls to the goal, and again whenever rows change their size, until the user scrolls. `setGoal(undefined)`
   * removes the goal, so that the list stays where it is.
   */
  setGoal: (goal: ScrollGoal) => void;
  /** Returns the current scroll position; undefined if the goal is the end of the list. */
  readPosition: () => ScrollPosition | undefined;
}

/**
 * Sets up the scrolling of the message list. Rows whose key is in `pinned` stay rendered outside the viewport, because
 * they have the focus or an open editor.
 */
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
    // The virtualizer must not follow the end of the list by itself; `useScrollGoal` does this if the goal is the end.
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

/**
 * Returns the keys of the rows; the same list object as before if no key has changed, so that the virtualizer does not
 * compute all positions again.
 */
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
 * Determines whether the virtualizer adjusts the scroll position when a row changes its size. It does for rows above
 * the viewport. A row that is only partly above usually grows at its end, like a streamed answer, so it needs no
 * adjustment unless it is measured for the first time or its message has just been loaded.
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

/**
 * The intended scroll position: the end of the list, or an offset in pixels below the start of a row. Undefined after
 * the user has scrolled to another position.
 */
type ScrollGoal = { to: "end" } | { to: "row"; rowKey: string; offset?: number } | undefined;

/**
 * Stores the scroll goal, and the last scroll position that this module has seen or set. Another position means that
 * the user has scrolled, by key, page search or scroll bar. The position is checked before every programmatic scroll,
 * because the event of the user's scroll may arrive later.
 */
class ScrollIntent {
  goal: ScrollGoal;
  /** True if the user has scrolled and `scrollToGoal` has not handled it yet. */
  hasUserScrolled = false;
  /** `scrollTop` of the last stored position; undefined before the first one. */
  #top: number | undefined;
  #height = 0;

  storePosition(element: HTMLElement): void {
    this.#top = element.scrollTop;
    this.#height = element.scrollHeight;
  }

  /**
   * Returns true if the user has scrolled since the last stored position. If so, the goal becomes the end of the list
   * if the user has scrolled down to the end; otherwise the goal is removed.
   */
  detectUserScroll(element: HTMLElement): boolean {
    const top = this.#top;
    const height = this.#height;
    const newTop = element.scrollTop;
    this.storePosition(element);
    if (top === undefined || Math.abs(newTop - top) <= 1) return false;
    const distanceToEnd = measureDistanceToEnd(element);
    // When the list becomes shorter, the browser reduces the scroll position by itself; this is not a scroll of the
    // user.
    if (newTop < top && distanceToEnd <= (this.#height < height ? END_TOLERANCE_PX : 1)) return false;
    this.goal = newTop > top && distanceToEnd <= END_TOLERANCE_PX ? { to: "end" } : undefined;
    return true;
  }
}

/** Keys that scroll up. Browsers animate this scroll, so its first scroll event comes later than the key event. */
const UPWARD_KEYS = new Set(["Home", "PageUp", "ArrowUp"]);

/**
 * Scrolls to the goal, and again whenever rows are measured or grow. The goal ends when the user scrolls away from it.
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
    // If the user has scrolled, a scroll that the virtualizer has already planned must not move the list any more.
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
  // Scrolling up by wheel or key removes the goal before the first scroll event arrives; otherwise, if an answer grows
  // in the meantime, the list would scroll back to its end.
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
  // When the composer below the list grows, the list becomes smaller; scrolling to the goal keeps the end visible.
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
  /** Id of the message in the URL; undefined without one. */
  targetId: string | undefined;
  /** Number of followed links; distinguishes two visits of the same URL. */
  linkCount: number;
  /** Position to restore after back or forward navigation; undefined otherwise. */
  savedPosition: ScrollPosition | undefined;
  onArrive: () => void;
}

/**
 * Scrolls to the saved position, if there is one. Otherwise scrolls to the message of the URL as soon as its row
 * exists, once per visit. Until then, and if there is no such message, the list shows its end.
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

/** Returns the index of the row that contains a stored message; -1 if there is none. */
export function findRowIndex(rows: readonly ConversationRow[], messageId: string): number {
  return rows.findIndex((row) => row.kind === "message" && row.ids.includes(messageId));
}
