// A time shown as its age. All instances share one timer, which runs only while any is mounted.
import { useSyncExternalStore } from "react";
import { formatDate, formatRelative } from "./format.ts";

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
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

/** Shows "5 min", with the exact time as tooltip. */
export function RelativeTime({ value, className }: { value: string; className?: string | undefined }) {
  // A time after the last tick is "now", too.
  const text = useSyncExternalStore(subscribe, () => formatRelative(value, now));
  return (
    <time dateTime={value} title={formatDate(value)} className={className}>
      {text}
    </time>
  );
}
