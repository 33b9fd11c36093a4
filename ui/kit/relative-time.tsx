// Shows the age of a time. All instances share one timer, which runs only while at least one instance is mounted.
import { useSyncExternalStore } from "react";
import { formatDate, formatRelative } from "./format.ts";

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
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

/** Shows a time as its age, such as "5 min", with the exact time as tooltip. */
export function RelativeTime({ value, className }: { value: string; className?: string | undefined }) {
  // `now` is the time of the shared timer's last tick, so `value` may be later; `formatRelative` then returns "now".
  const text = useSyncExternalStore(subscribe, () => formatRelative(value, now));
  return (
    <time dateTime={value} title={formatDate(value)} className={className}>
      {text}
    </time>
  );
}
