// Assigns the ids of a list of stored messages: keeps unique ULIDs, replaces others, and maps replaced ids.
import type { Message, StoredMessage } from "../../model/message.ts";
import { ULID } from "../../model/validation/message-shapes.ts";

/** A message that may have fields of a stored one. */
export type PossiblyStoredMessage = Message & Partial<Pick<StoredMessage, "parentMessageId" | "createdAt">>;

export interface MessageIds {
  /** The id of each message, in message order. */
  ids: readonly string[];
  /** Returns the current id of the message that had an id; an id that was not replaced is returned as it is. */
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
    // A second message with the same id would make the parents ambiguous.
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

/** Returns a source of ids that are unique in this list: the caller's, else ULIDs that count from one at time zero. */
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
