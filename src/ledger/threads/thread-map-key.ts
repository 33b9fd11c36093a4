// Creates the key under which a map contains a thread.

/** Returns tenant and thread id, joined with U+0000, which neither can contain. */
export function toThreadMapKey(tenant: string, threadId: string): string {
  return `${tenant}\0${threadId}`;
}
