// The ids of a list of stored messages: which stay, which are made, and what became of those that do not stay.
import type { Message, StoredMessage } from "../../model/message.ts";
import { ULID } from "../../model/shapes.ts";

/** A message with whatever it has of a stored one. */
export type MaybeStored = Message & Partial<Pick<StoredMessage, "parentMessageId" | "createdAt">>;

export interface Ids {
  /** The id of each message, in their order. */
  written: readonly string[];
  /** The present id of the message that had this one. An id that still stands, or stands elsewhere, is its own. */
  present: (id: string) => string;
}

export function assignIds(messages: readonly MaybeStored[], newId: (() => string) | undefined): Ids {
  const ulid = new RegExp(ULID);
  const kept = new Set<string>();
  const replaced = new Map<string, string>();
  let freshId: (() => string) | undefined;
  const written = messages.map((message) => {
    const { id, createdAt, metadata } = message;
    const wasStored = createdAt !== undefined && metadata?.schemaVersion !== undefined;
    // A second message of the same id would be its own parent, or somebody else's.
    if (typeof id === "string" && !kept.has(id) && (wasStored || ulid.test(id))) {
      kept.add(id);
      return id;
    }
    freshId ??= freshIds(messages, newId);
    const fresh = freshId();
    if (typeof id === "string" && !replaced.has(id)) replaced.set(id, fresh);
    return fresh;
  });
  return { written, present: (id) => (kept.has(id) ? id : (replaced.get(id) ?? id)) };
}

/** Ids that are nobody else's in this list: the caller's, or else ULIDs that count from one at the beginning of time. */
function freshIds(messages: readonly MaybeStored[], newId: (() => string) | undefined): () => string {
  const taken = new Set<unknown>();
  for (const { id, parentMessageId } of messages) taken.add(id).add(parentMessageId);
  let next = 0;
  return () => {
    let id = newId?.();
    while (id === undefined || taken.has(id)) id = String(++next).padStart(26, "0");
    taken.add(id);
    return id;
  };
}
