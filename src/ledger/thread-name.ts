// One text for a thread and its tenant, for maps.

/** Names hold no zero character. */
export function threadName(tenant: string, threadId: string): string {
  return `${tenant}\0${threadId}`;
}
