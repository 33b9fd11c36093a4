// The focus among rows: brought to one, and kept where it is when what had it is taken away.
import { useLayoutEffect, useRef, type RefObject } from "react";
import type { Row } from "./rows.ts";
import { rowOf } from "./use-message-scroller.ts";

/** Brings the focus to a row: it is drawn first, where it was not. */
export function useRowFocus(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  pin: (key: string) => void,
  scrollTo: (index: number) => void,
): (index: number) => void {
  const wanted = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (row === null || row === undefined) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  return (index) => {
    const key = rows[index]?.key;
    if (key === undefined) return;
    wanted.current = key;
    pin(key);
    scrollTo(index);
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    row?.focus({ preventScroll: true });
  };
}

/** Shows a message now, or when its branch is there. */
export function useReveal(
  rows: readonly Row[],
  focusRow: (index: number) => void,
  scrollTo: (index: number) => void,
): (messageId: string, focus?: boolean) => void {
  const wanted = useRef<{ id: string; focus: boolean }>(undefined);
  const attempt = (): void => {
    const index = wanted.current === undefined ? -1 : rowOf(rows, wanted.current.id);
    if (index === -1) return;
    if (wanted.current?.focus === true) focusRow(index);
    else scrollTo(index);
    wanted.current = undefined;
  };
  useLayoutEffect(attempt);
  return (id, focus = false) => {
    wanted.current = { id, focus };
    attempt();
  };
}

export function keyAround(element: Element): string | undefined {
  return element.closest<HTMLElement>("[data-row]")?.dataset["row"];
}

export function focusedKey(scroller: HTMLElement | null): string | undefined {
  const focused = document.activeElement;
  return focused !== null && scroller?.contains(focused) === true ? keyAround(focused) : undefined;
}

interface Held {
  element: Element;
  key: string;
  index: number;
  /** Of a button: what it does. */
  label: string | null;
}

/**
 * Whoever did something in a row goes on from there: where the element that had the focus is gone, its like in the row that
 * stands in the same place has it, else that row. Gives what is to be called with whatever gets the focus.
 */
export function useHeldFocus(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
): (element: Element) => void {
  const held = useRef<Held>(undefined);
  useLayoutEffect(() => {
    const former = held.current;
    if (former === undefined) return;
    const found = rows.findIndex(({ key }) => key === former.key);
    if (found !== -1) former.index = found;
    if (former.element.isConnected) return;
    held.current = undefined;
    const key = rows[Math.min(former.index, rows.length - 1)]?.key;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (!isLost || key === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    const like = former.label === null ? null : row?.querySelector(`button[aria-label="${CSS.escape(former.label)}"]`);
    (like instanceof HTMLElement ? like : row)?.focus({ preventScroll: true });
  });
  return (element) => {
    const key = keyAround(element);
    const index = rows.findIndex((row) => row.key === key);
    const label = element.getAttribute("data-row") === null ? element.getAttribute("aria-label") : null;
    held.current = key === undefined ? undefined : { element, key, index, label };
  };
}
