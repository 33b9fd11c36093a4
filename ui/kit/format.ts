// Pure functions that format numbers, sizes, durations and times for the user.

const KILO = 1000;
const COMPACT_NUMBER = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const PLAIN_NUMBER = new Intl.NumberFormat("en");

/** Returns a text such as "742", "1.2k", "3.4M". */
export function formatTokens(count: number): string {
  return count < KILO ? PLAIN_NUMBER.format(count) : COMPACT_NUMBER.format(count).replace("K", "k");
}

export function formatCount(count: number): string {
  return PLAIN_NUMBER.format(count);
}

/** Formats US dollars, with more digits for small amounts. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.0001) return "<$0.0001";
  const digits = dollars >= 1 ? 2 : dollars >= 0.01 ? 3 : 4;
  return `$${dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB"] as const;

export function formatBytes(bytes: number): string {
  const step = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / KILO ** step;
  if (step === 0) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return `${value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${BYTE_UNITS[step]}`;
}

/** Returns a text such as "1.4 s", "2 min 5 s". */
export function formatDuration(ms: number): string {
  if (ms < KILO) return `${Math.round(ms)} ms`;
  const seconds = ms / KILO;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const wholeSeconds = Math.round(seconds);
  return `${Math.floor(wholeSeconds / 60)} min ${wholeSeconds % 60} s`;
}

const EXACT_TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const DAY_FORMAT = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const YEAR_FORMAT = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", year: "numeric" });

/** Returns the exact time in the local time zone; an invalid date is returned unchanged. */
export function formatDate(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : EXACT_TIME.format(time);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Returns the age as "now", "5 min", "3 h" or "2 d"; the date if the time is more than a week ago. */
export function formatRelative(iso: string, now: number): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const ago = now - time;
  if (ago < MINUTE) return "now";
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min`;
  if (ago < 24 * HOUR) return `${Math.floor(ago / HOUR)} h`;
  if (ago < 7 * 24 * HOUR) return `${Math.floor(ago / (24 * HOUR))} d`;
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? DAY_FORMAT : YEAR_FORMAT).format(time);
}
