// Messages that left the composer and are not stored yet: queued ones, ones being sent, and ones whose outcome is
// unknown. They survive a reload with their idempotency key, which is the same for every attempt.
import type { Message } from "koine";
import { newId } from "../../data/effects.ts";
import type { AnswerSettings, ConversationState, QueueEntry } from "../../data/types.ts";
import { readMessageKey } from "../../data/conversation/conversation-actions.ts";
import { onTabStorageCleared, type TabStorage, tabStorage } from "../draft/tab-storage.ts";

/** A message of the outbox; its id is the idempotency key. */
export interface OutboxMessage extends QueueEntry {
  /** Model and settings for its answer. */
  answerSettings: AnswerSettings;
  stage: "waiting" | "sending" | "failed";
  /** Of a failed message: the reason, or why the outcome is unknown. */
  error?: string;
}

const NO_MESSAGES: readonly OutboxMessage[] = [];
export const PAGE_LEFT_MESSAGE = "The page was closed while this message was being sent.";

const createKey = (): string =>
  newId({ now: () => Date.now(), randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)) });

export class Outbox {
  readonly #lists = new Map<string, readonly OutboxMessage[]>();
  readonly #listeners = new Set<() => void>();
  readonly #storage: TabStorage;
  readonly #newKey: () => string;
  /** Threads whose files are too large for the storage, so that a reload loses them. */
  readonly #withoutFiles = new Set<string>();

  constructor(storage: TabStorage, newKey: () => string = createKey) {
    this.#storage = storage;
    this.#newKey = newKey;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  list(threadId: string): readonly OutboxMessage[] {
    const cached = this.#lists.get(threadId);
    if (cached !== undefined) return cached;
    // Only `#set` writes this entry.
    const stored = this.#storage.get(toStorageName(threadId)) as readonly OutboxMessage[] | undefined;
    const list = (stored ?? NO_MESSAGES).map((item) =>
      item.stage === "sending" ? markFailed(item, PAGE_LEFT_MESSAGE) : item,
    );
    this.#lists.set(threadId, list);
    return list;
  }

  get(threadId: string, id: string): OutboxMessage | undefined {
    return this.list(threadId).find((each) => each.id === id);
  }

  areFilesStored(threadId: string): boolean {
    return !this.#withoutFiles.has(threadId);
  }

  add(threadId: string, content: Omit<OutboxMessage, "id" | "error">): OutboxMessage {
    const item = { ...content, id: this.#newKey() };
    this.#set(threadId, [...this.list(threadId), item]);
    return item;
  }

  setStage(threadId: string, id: string, stage: "waiting" | "sending"): void {
    this.#change(threadId, id, (item) => {
      const { error: _, ...rest } = item;
      return { ...rest, stage };
    });
  }

  fail(threadId: string, id: string, error: string): void {
    this.#change(threadId, id, (item) => markFailed(item, error));
  }

  /** Removes and returns a message; undefined if it is no longer there. */
  take(threadId: string, id: string): OutboxMessage | undefined {
    const taken = this.get(threadId, id);
    if (taken !== undefined) {
      const remaining = this.list(threadId).filter((each) => each !== taken);
      this.#set(threadId, remaining);
    }
    return taken;
  }

  /** Removes and returns the messages that are not being sent. */
  takeWaiting(threadId: string): readonly OutboxMessage[] {
    const list = this.list(threadId);
    const waiting = list.filter(({ stage }) => stage === "waiting");
    const remaining = list.filter(({ stage }) => stage !== "waiting");
    if (waiting.length > 0) this.#set(threadId, remaining);
    return waiting;
  }

  /** Removes messages that the conversation contains, whichever tab sent them. */
  removeStored(threadId: string, { bodies }: Pick<ConversationState, "bodies">): void {
    const list = this.list(threadId);
    if (list.length === 0) return;
    const storedKeys = new Set<string | undefined>();
    for (const message of bodies.values()) storedKeys.add(readMessageKey(message));
    const remaining = list.filter(({ id }) => !storedKeys.has(id));
    if (remaining.length < list.length) this.#set(threadId, remaining);
  }

  /** Discards the cached lists, so that they are read from the storage again. */
  reload(): void {
    this.#lists.clear();
    for (const listener of this.#listeners) listener();
  }

  #change(threadId: string, id: string, change: (item: OutboxMessage) => OutboxMessage): void {
    const list = this.list(threadId).map((item) => (item.id === id ? change(item) : item));
    this.#set(threadId, list);
  }

  #set(threadId: string, list: readonly OutboxMessage[]): void {
    this.#lists.set(threadId, list);
    const name = toStorageName(threadId);
    this.#withoutFiles.delete(threadId);
    if (!this.#storage.set(name, list.length === 0 ? undefined : list)) {
      this.#withoutFiles.add(threadId);
      // Stores the text alone; without its files, a message is never sent automatically.
      const textOnly = list.map((item) => removeFiles(item, this.#newKey));
      // Otherwise an older list would stay in the storage and be sent after a reload.
      if (!this.#storage.set(name, textOnly)) this.#storage.set(name, undefined);
    }
    for (const listener of this.#listeners) listener();
  }
}

export const outbox = new Outbox(tabStorage);
onTabStorageCleared(() => outbox.reload());

function toStorageName(threadId: string): string {
  return `outbox.${threadId}`;
}

function markFailed(item: OutboxMessage, error: string): OutboxMessage {
  return { ...item, stage: "failed", error };
}

function removeFiles(item: OutboxMessage, newKey: () => string): OutboxMessage {
  const files = item.message.parts.filter(({ type }) => type !== "text");
  if (files.length === 0) return item;
  const names = files.map((part) => ("name" in part && typeof part.name === "string" ? part.name : part.type));
  const message: Message = { ...item.message, parts: item.message.parts.filter(({ type }) => type === "text") };
  const error = `${PAGE_LEFT_MESSAGE} Its files were too large to store: ${names.join(", ")}.`;
  // A new key: the content differs from the message that may have arrived.
  return markFailed({ ...item, id: newKey(), message }, error);
}
