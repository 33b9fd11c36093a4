// Which rows are drawn, and where the reader is among them: opens at the end or at a message, stays where the reader is when
// bodies arrive above or an answer grows below, and follows an answer only while the reader is at the end.
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import {
  defaultRangeExtractor,
  elementScroll,
  useVirtualizer,
  type Range,
  type ReactVirtualizer,
} from "@tanstack/react-virtual";
import type { Place } from "./places.ts";
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
  /** Where the reader is now. */
  place: () => Place | undefined;
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
  const [wish] = useState(() => new Wish());
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
    // Whether the end is followed is for the goal to say.
    followOnAppend: false,
    scrollEndThreshold: 1,
    scrollToFn: (offset, how, instance) => {
      const element = scroller.current;
      if (element !== null && wish.heed(element)) return void (wish.isUndone = true);
      elementScroll(offset, how, instance);
      if (element !== null) wish.note(element);
    },
  });
  useStillPlace(virtualizer);
  return { virtualizer, ...useGoal(scroller, virtualizer, keys, wish) };
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

/** Where the reader wants to be: at the end, wherever that is, or at a row, so many pixels below its beginning. */
type Goal = { to: "end" } | { to: "row"; key: string; by?: number } | undefined;

/**
 * What the reader wants, and where we left them. A place where we did not leave them is where they went: by a key, a search
 * in the page, the scroll bar. That is heeded before anything is scrolled by us, whoever hears of it first.
 */
class Wish {
  goal: Goal;
  /** Something was about to be scrolled by us when the reader went elsewhere. */
  isUndone = false;
  #top: number | undefined;
  #height = 0;

  /** We left the reader here. */
  note(element: HTMLElement): void {
    this.#top = element.scrollTop;
    this.#height = element.scrollHeight;
  }

  /** Says whether the reader has gone elsewhere; then it is theirs to say where they want to be. */
  heed(element: HTMLElement): boolean {
    const top = this.#top;
    const height = this.#height;
    const now = element.scrollTop;
    this.note(element);
    if (top === undefined || Math.abs(now - top) <= 1) return false;
    const left = leftBelow(element);
    // Near the end, it is the list that became shorter.
    if (now < top && left <= (this.#height < height ? END : 1)) return false;
    this.goal = now > top && left <= END ? { to: "end" } : undefined;
    return true;
  }
}

/** Keys that lead upwards: what they scroll is scrolled bit by bit. */
const UPWARDS = new Set(["Home", "PageUp", "ArrowUp"]);

/**
 * Brings the reader to their goal, and keeps them there while what is around it is measured and grows. Whoever scrolls, or
 * presses a key, decides anew.
 */
function useGoal(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: Rows,
  keys: readonly string[],
  wish: Wish,
): Omit<MessageScroller, "virtualizer"> {
  const [atEnd, setAtEnd] = useState(true);
  const go = (): void => {
    const element = scroller.current;
    if (element === null) return;
    // Wherever the list was about to scroll to, it stays where its reader went.
    const isElsewhere = wish.heed(element) || wish.isUndone;
    wish.isUndone = false;
    if (isElsewhere) virtualizer.cancelScroll();
    else approach(element, virtualizer, wish.goal, keys);
  };
  const latest = useRef(go);
  useLayoutEffect(() => {
    latest.current = go;
    go();
  });
  useEffect(() => {
    const element = scroller.current;
    return element === null ? undefined : listen(element, wish, () => latest.current(), setAtEnd);
  }, [scroller, wish]);
  const setGoal = (next: Goal): void => {
    if (scroller.current !== null) wish.note(scroller.current);
    wish.goal = next;
    go();
  };
  return { atEnd, setGoal, place: () => placeIn(scroller.current, virtualizer, wish.goal) };
}

/** `go`: brings the reader to their goal. */
function listen(element: HTMLElement, wish: Wish, go: () => void, setAtEnd: (atEnd: boolean) => void): () => void {
  const signal = new AbortController();
  const on = { passive: true, signal: signal.signal };
  const leaveRow = (): void => void (wish.goal?.to === "row" && (wish.goal = undefined));
  const leave = (): void => void (element.scrollTop > 0 && (wish.goal = undefined));
  for (const kind of ["touchmove", "pointerdown", "keydown"]) element.addEventListener(kind, leaveRow, on);
  // A wheel, or a key, is felt at once: before its first step is over, an answer may have grown.
  element.addEventListener("wheel", ({ deltaY }) => (deltaY < 0 ? leave() : leaveRow()), on);
  element.addEventListener(
    "keydown",
    ({ key, target }) => {
      const isTyping = target instanceof Element && target.closest("textarea, input") !== null;
      if (UPWARDS.has(key) && !isTyping) leave();
    },
    on,
  );
  element.addEventListener(
    "scroll",
    () => {
      const left = leftBelow(element);
      if (wish.heed(element)) wish.isUndone = true;
      if (wish.isUndone) go();
      else if (left <= 1) wish.goal ??= { to: "end" };
      setAtEnd(left <= NEAR_END);
    },
    on,
  );
  // What stands below the list may grow, and the end with it is to stay in sight.
  const sizes = new ResizeObserver(go);
  sizes.observe(element);
  return () => {
    signal.abort();
    sizes.disconnect();
  };
}

const leftBelow = (element: HTMLElement): number => element.scrollHeight - element.scrollTop - element.clientHeight;

function approach(element: HTMLElement, virtualizer: Rows, goal: Goal, keys: readonly string[]): void {
  if (goal === undefined || keys.length === 0) return;
  if (goal.to === "end") {
    if (leftBelow(element) > 1) virtualizer.scrollToEnd();
    return;
  }
  const { key, by = 0 } = goal;
  const index = keys.indexOf(key);
  const found = index === -1 ? undefined : virtualizer.getOffsetForIndex(index, "start")?.[0];
  if (found === undefined) return;
  const offset = Math.min(found + by, element.scrollHeight - element.clientHeight);
  if (Math.abs(element.scrollTop - offset) <= 1) return;
  if (by === 0) virtualizer.scrollToIndex(index, { align: "start" });
  else virtualizer.scrollToOffset(offset);
}

function placeIn(element: HTMLElement | null, virtualizer: Rows, goal: Goal): Place | undefined {
  if (element === null || goal?.to === "end") return undefined;
  const item = virtualizer.getVirtualItemForOffset(element.scrollTop);
  return item === undefined ? undefined : { key: String(item.key), by: element.scrollTop - item.start };
}

export interface Arrival {
  /** The message that the address leads to. */
  wish: string | undefined;
  /** Told apart from the time before, though it be the same address. */
  visit: number;
  /** Where the reader was when they left, if they have come back. */
  former: Place | undefined;
  onArrive: () => void;
}

/**
 * Goes where the address leads as soon as that is there, once for each visit. Until then, and where it leads nowhere, the
 * end is shown.
 */
export function useArrival(
  setGoal: MessageScroller["setGoal"],
  rows: readonly Row[],
  { wish, visit, former, onArrive }: Arrival,
): void {
  const done = useRef<string | undefined>(undefined);
  const isOpened = useRef(false);
  const wanted = wish === undefined ? undefined : `${visit} ${wish}`;
  useLayoutEffect(() => {
    if (rows.length === 0 || (isOpened.current && done.current === wanted)) return;
    const isBack = !isOpened.current && former !== undefined && rows.some(({ key }) => key === former.key);
    if (!isOpened.current) setGoal(isBack ? { to: "row", ...former } : { to: "end" });
    isOpened.current = true;
    if (isBack) done.current = wanted;
    if (isBack) return;
    const row = wish === undefined ? undefined : rows[rowOf(rows, wish)];
    if (wish !== undefined && row === undefined) return;
    done.current = wanted;
    if (row === undefined) return;
    setGoal({ to: "row", key: row.key });
    onArrive();
  });
}

/** The row that holds a message; -1: none. */
export function rowOf(rows: readonly Row[], messageId: string): number {
  return rows.findIndex((row) => row.kind === "message" && row.ids.includes(messageId));
}
