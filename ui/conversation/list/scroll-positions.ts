// Scroll positions of conversations while the page is open, and detection of link navigation: back and forward restore
// the position, a link does not.

/** The row at the top of the viewport, and the scrolled distance within it in pixels. */
export interface ScrollPosition {
  rowKey: string;
  offset: number;
}

const positions = new Map<string, ScrollPosition>();
const MAX_POSITIONS = 100;

let linkCount = 0;
/** Path of the last link. `popstate` is dispatched late, when its view may already be shown. */
let lastLinkPath: string | undefined;
const listeners = new Set<() => void>();

function onNavigation(event: Event): void {
  lastLinkPath = event.type === "pushState" ? location.pathname : undefined;
  if (lastLinkPath === undefined) return;
  linkCount += 1;
  for (const listener of listeners) listener();
}

// wouter dispatches an event named after the history function for every navigation.
if (typeof window !== "undefined")
  for (const way of ["popstate", "pushState"]) window.addEventListener(way, onNavigation);

export function onLinkFollowed(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns a number that grows with every followed link, also if it is the same link. */
export function readLinkCount(): number {
  return linkCount;
}

/** Returns the saved position after back or forward navigation; undefined after a link. */
export function readScrollPosition(threadId: string): ScrollPosition | undefined {
  return lastLinkPath === location.pathname ? undefined : positions.get(threadId);
}

/** `position` undefined: the end, where every conversation opens. */
export function storeScrollPosition(threadId: string, position: ScrollPosition | undefined): void {
  positions.delete(threadId);
  if (position === undefined) return;
  positions.set(threadId, position);
  const [oldest] = positions.keys();
  if (positions.size > MAX_POSITIONS && oldest !== undefined) positions.delete(oldest);
}
