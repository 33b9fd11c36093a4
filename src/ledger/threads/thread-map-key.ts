// The key of a thread in maps.

/** Joins tenant and thread id with U+0000, which names cannot contain. */
export function toThreadMapKey(tenant: string, threadId: string): string {
  return `${tenant}\0${threadId}`;
}
