// Dates: ISO 8601 in the model, seconds since 1970 on some wires.

/** Returns the date of a Unix time; undefined unless it is a whole number of seconds within the range of `Date`. */
export function dateFromSeconds(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || Math.abs(seconds) > 8.64e12) return undefined;
  return new Date(seconds * 1000).toISOString();
}

/** Returns the Unix time of a date, without fractions of a second; undefined if it is not a date. */
export function secondsFromDate(date: string): number | undefined {
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
