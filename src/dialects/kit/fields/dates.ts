// Converts dates between ISO 8601 (canonical) and seconds since 1970 (the wire format of some providers).

/** Returns a Unix time as an ISO date. Returns undefined unless it is an integer within the range of `Date`. */
export function dateFromSeconds(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || Math.abs(seconds) > 8.64e12) return undefined;
  return new Date(seconds * 1000).toISOString();
}

/** Returns an ISO date as Unix time, rounded down to seconds. Returns undefined if the text is not a date. */
export function secondsFromDate(date: string): number | undefined {
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
