// Provides hooks for the keyboard focus in the message list: they focus a row, and restore the focus when the focused
// element disappears.
import { useLayoutEffect, useRef, type RefObject } from "react";
import type { ConversationRow } from "../rows/build-rows.ts";
import { findRowIndex } from "./use-message-scroller.ts";

/**
 * Returns a function that focuses the row at an index. If the row is not rendered yet, it is focused after rendering.
 */
export function useRowFocus(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly ConversationRow[],
  pin: (key: string) => void,
  scrollTo: (index: number) => void,
): (index: number) => void {
  const pendingKey = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (pendingKey.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(pendingKey.current)}"]`);
    if (row === null || row === undefined) return;
    pendingKey.current = undefined;
    row.focus({ preventScroll: true });
  });
  return (index) => {
    const key = rows[index]?.key;
    if (key === undefined) return;
    pendingKey.current = key;
    pin(key);
    scrollTo(index);
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    row?.focus({ preventScroll: true });
  };
}

/**
 * Returns a function that scrolls to a message: at once if a row contains the message, otherwise as soon as a row does.
 */
export function useReveal(
  rows: readonly ConversationRow[],
  focusRow: (index: number) => void,
  scrollTo: (index: number) => void,
): (messageId: string, focus?: boolean) => void {
  const pendingReveal = useRef<{ id: string; focus: boolean }>(undefined);
  const revealPending = (): void => {
    const index = pendingReveal.current === undefined ? -1 : findRowIndex(rows, pendingReveal.current.id);
    if (index === -1) return;
    if (pendingReveal.current?.focus === true) focusRow(index);
    else scrollTo(index);
    pendingReveal.current = undefined;
  };
  useLayoutEffect(revealPending);
  return (id, focus = false) => {
    pendingReveal.current = { id, focus };
    revealPending();
  };
}

export function findRowKey(element: Element): string | undefined {
  return element.closest<HTMLElement>("[data-row]")?.dataset["row"];
}

export function findFocusedRowKey(scroller: HTMLElement | null): string | undefined {
  const focused = document.activeElement;
  return focused !== null && scroller?.contains(focused) === true ? findRowKey(focused) : undefined;
}

interface FocusedElement {
  element: Element;
  key: string;
  index: number;
  /** Accessible name of the focused button; null if the row itself or an element without a label has the focus. */
  label: string | null;
}

/**
 * Restores the focus when the focused element disappears. The focus moves to the button with the same label in the same
 * row or, if that row is gone, in the row that now has its position; without such a button, to the row. Returns a
 * function that the caller calls with every element that gets the focus.
 */
export function useFocusRecovery(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly ConversationRow[],
): (element: Element) => void {
  const focusedRef = useRef<FocusedElement>(undefined);
  useLayoutEffect(() => {
    const lastFocused = focusedRef.current;
    if (lastFocused === undefined) return;
    const currentIndex = rows.findIndex(({ key }) => key === lastFocused.key);
    if (currentIndex !== -1) lastFocused.index = currentIndex;
    if (lastFocused.element.isConnected) return;
    focusedRef.current = undefined;
    const key = rows[Math.min(lastFocused.index, rows.length - 1)]?.key;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (!isLost || key === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    const sameButton =
      lastFocused.label === null ? null : row?.querySelector(`button[aria-label="${CSS.escape(lastFocused.label)}"]`);
    (sameButton instanceof HTMLElement ? sameButton : row)?.focus({ preventScroll: true });
  });
  return (element) => {
    const key = findRowKey(element);
    const index = rows.findIndex((row) => row.key === key);
    const label = element.getAttribute("data-row") === null ? element.getAttribute("aria-label") : null;
    focusedRef.current = key === undefined ? undefined : { element, key, index, label };
  };
}
