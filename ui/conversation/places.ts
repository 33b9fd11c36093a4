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
/** Where a link has led last. Steps in the browser's history are told of late: their view may be shown by then. */
let linkedTo: string | undefined;
const listeners = new Set<() => void>();

function visited(event: Event): void {
  linkedTo = event.type === "pushState" ? location.pathname : undefined;
  if (linkedTo === undefined) return;
  visits += 1;
  for (const listener of listeners) listener();
}

// The router tells of every way to another address under the name of the function that leads there.
if (typeof window !== "undefined") for (const way of ["popstate", "pushState"]) window.addEventListener(way, visited);

export function onVisit(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Another number after every link that was followed, though it be the same one. */
export function visitNumber(): number {
  return visits;
}

/** The place of a reader who has come back; undefined for one who came by a link. */
export function formerPlace(threadId: string): Place | undefined {
  return linkedTo === location.pathname ? undefined : places.get(threadId);
}

/** undefined: at the end, where every conversation opens. */
export function keepPlace(threadId: string, place: Place | undefined): void {
  places.delete(threadId);
  if (place === undefined) return;
  places.set(threadId, place);
  const [oldest] = places.keys();
  if (places.size > MOST && oldest !== undefined) places.delete(oldest);
}
