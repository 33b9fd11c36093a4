// Assigns ids to a list of stored messages. Ids of messages that were stored and ids that are ULIDs are preserved if
// they are unique; other ids are replaced, and each old id is mapped to the new one.
import type { Message, StoredMessage } from "../../model/message.ts";
import { ULID } from "../../model/validation/message-shapes.ts";

/** A message that may have the fields of a stored message. */
export type PossiblyStoredMessage = Message & Partial<Pick<StoredMessage, "parentMessageId" | "createdAt">>;

export interface MessageIds {
  /** The id of each message, in message order. */
  ids: readonly string[];
  /** Returns the current id of the message that had `id`; an id that was not replaced is returned unchanged. */
  currentId: (id: string) => string;
}

export function assignIds(messages: readonly PossiblyStoredMessage[], newId: (() => string) | undefined): MessageIds {
  const ulid = new RegExp(ULID);
  const unchangedIds = new Set<string>();
  const replacements = new Map<string, string>();
  let nextId: (() => string) | undefined;
  const ids = messages.map((message) => {
    const { id, createdAt, metadata } = message;
    const wasStored = createdAt !== undefined && metadata?.schemaVersion !== undefined;
    // Of two messages with the same id, the second gets a new id, because parent references would be ambiguous.
    if (typeof id === "string" && !unchangedIds.has(id) && (wasStored || ulid.test(id))) {
      unchangedIds.add(id);
      return id;
    }
    nextId ??= createIdSource(messages, newId);
    const newMessageId = nextId();
    if (typeof id === "string" && !replacements.has(id)) replacements.set(id, newMessageId);
    return newMessageId;
  });
  return { ids, currentId: (id) => (unchangedIds.has(id) ? id : (replacements.get(id) ?? id)) };
}

/**
 * Returns a function that creates ids that occur nowhere in the list: with `newId`, or without it by a counter in the
 * format of a ULID.
 */
function createIdSource(messages: readonly PossiblyStoredMessage[], newId: (() => string) | undefined): () => string {
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
