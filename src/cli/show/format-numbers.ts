// Formats numbers for display, in the same notation in every locale.

/** Formats an integer with thousands separators: "1,024". */
export function formatCount(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a number with its noun: "1 record", "2 records". */
export function formatQuantity(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(value)} ${value === 1 ? noun : plural}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function formatBytes(value: number): string {
  let unit = 0;
  let scaled = value;
  while (scaled >= 1000 && unit < UNITS.length - 1) {
    scaled /= 1000;
    unit++;
  }
  return `${unit === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

function padTwoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** Formats seconds as "m:ss", or as "h:mm:ss" from one hour. */
export function formatDuration(seconds: number): string {
  const totalSeconds = Math.round(seconds);
  const [hours, minutes] = [Math.floor(totalSeconds / 3600), Math.floor((totalSeconds % 3600) / 60)];
  return hours > 0
    ? `${hours}:${padTwoDigits(minutes)}:${padTwoDigits(totalSeconds % 60)}`
    : `${minutes}:${padTwoDigits(totalSeconds % 60)}`;
}
