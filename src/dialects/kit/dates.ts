// Dates: ISO 8601 in the model, seconds since 1970 on some wires.

/** Seconds as a date; undefined where they are not a whole number of a year that dates have. */
export function dateFromSeconds(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || Math.abs(seconds) > 8.64e12) return undefined;
  return new Date(seconds * 1000).toISOString();
}

/** The seconds of a date; undefined where it is none. Parts of a second are cut off. */
export function secondsFromDate(date: string): number | undefined {
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
