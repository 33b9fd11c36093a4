// A moment, told as how long ago it was. All of them on the page follow one clock that ticks only while something is shown.
import { useSyncExternalStore } from "react";
import { formatDate, formatRelative } from "./format.ts";

const TICK = 20_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** "5 min", with the exact moment when one points at it. */
export function RelativeTime({ value, className }: { value: string; className?: string | undefined }) {
  // A moment after the last tick is "now" as well.
  const words = useSyncExternalStore(subscribe, () => formatRelative(value, now));
  return (
    <time dateTime={value} title={formatDate(value)} className={className}>
      {words}
    </time>
  );
}
