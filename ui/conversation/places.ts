// Where readers were in the conversations that they left, for as long as the page is open, and how they came to where they
// are: whoever goes back in the browser's history finds the place again.

/** A row at the top of the window, and how many pixels of it are above. */
export interface Place {
  key: string;
  by: number;
}

const places = new Map<string, Place>();
/** Conversations whose place is remembered. */
const MOST = 100;

let visits = 0;
let isBack = false;
const listeners = new Set<() => void>();

function visited(event: Event): void {
  isBack = event.type === "popstate";
  visits += 1;
  for (const listener of listeners) listener();
}

// The router tells of every way to another address under the name of the function that leads there.
if (typeof window !== "undefined") for (const way of ["popstate", "pushState"]) window.addEventListener(way, visited);

export function onVisit(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Another number after every step to an address, though it be the same one. */
export function visitNumber(): number {
  return visits;
}

/** The place of a reader who has come back; undefined for one who came by a link. */
export function formerPlace(threadId: string): Place | undefined {
  console.log("FORMER", isBack, places.size); return isBack ? places.get(threadId) : undefined;
}

/** undefined: at the end, where every conversation opens. */
export function keepPlace(threadId: string, place: Place | undefined): void {
  console.log("KEEP", JSON.stringify(place)); places.delete(threadId);
  if (place === undefined) return;
  places.set(threadId, place);
  const [oldest] = places.keys();
  if (places.size > MOST && oldest !== undefined) places.delete(oldest);
}
