// Stores the scroll positions of conversations while the page is open. Back and forward navigation restores a position;
// following a link does not, so this module also detects links.

/** The row at the top of the viewport, and the distance in pixels from the row's start to the viewport's top. */
export interface ScrollPosition {
  rowKey: string;
  offset: number;
}

const positions = new Map<string, ScrollPosition>();
const MAX_POSITIONS = 100;

let linkCount = 0;
/**
 * Path of the URL after the last followed link; undefined after back or forward navigation. `readScrollPosition`
 * compares it with the current path: after going back to another path it differs, even if `popstate` has not been
 * dispatched yet when the view is shown.
 */
let lastLinkPath: string | undefined;
const listeners = new Set<() => void>();

function onNavigation(event: Event): void {
  lastLinkPath = event.type === "pushState" ? location.pathname : undefined;
  if (lastLinkPath === undefined) return;
  linkCount += 1;
  for (const listener of listeners) listener();
}

// The browser dispatches "popstate" for back and forward navigation. For followed links, the library wouter dispatches
// an event that has the name of the history function, "pushState".
if (typeof window !== "undefined")
  for (const way of ["popstate", "pushState"]) window.addEventListener(way, onNavigation);

export function onLinkFollowed(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Returns the number of links that the user has followed since the page was opened; following the same link again
 * counts, too.
 */
export function readLinkCount(): number {
  return linkCount;
}

/** Returns the saved position after back or forward navigation; undefined after a link or without a saved position. */
export function readScrollPosition(threadId: string): ScrollPosition | undefined {
  return lastLinkPath === location.pathname ? undefined : positions.get(threadId);
}

/**
 * Stores the scroll position of a thread. An undefined position means the end of the list; it is not stored, because
 * every conversation opens at its end.
 */
export function storeScrollPosition(threadId: string, position: ScrollPosition | undefined): void {
  positions.delete(threadId);
  if (position === undefined) return;
  positions.set(threadId, position);
  const [oldest] = positions.keys();
  if (positions.size > MAX_POSITIONS && oldest !== undefined) positions.delete(oldest);
}
