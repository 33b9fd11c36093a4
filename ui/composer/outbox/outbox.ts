// Stores the outbox: messages that the user has submitted and the server has not stored, because they are queued, being
// sent, or failed. They survive a reload with their idempotency key, which is the same for every attempt.
import type { Message } from "koine";
import { newId } from "../../data/effects.ts";
import type { AnswerSettings, ConversationState, QueueEntry } from "../../data/types.ts";
import { readMessageKey } from "../../data/conversation/conversation-actions.ts";
import { onTabStorageCleared, type TabStorage, tabStorage } from "../draft/tab-storage.ts";

/** A message of the outbox. Its `id` is its idempotency key. */
export interface OutboxMessage extends QueueEntry {
  /** Model and settings with which the answer to this message is requested. */
  answerSettings: AnswerSettings;
  stage: "waiting" | "sending" | "failed";
  /** Reason why sending failed, or why its outcome is unknown; only for the stage "failed". */
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
  /**
   * Ids of threads whose outbox was stored without the attached files, because they are too large; a reload loses these
   * files.
   */
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
    // The cast is safe, because only `#set` writes this entry.
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

  /** Removes and returns a message; undefined if the outbox no longer contains it. */
  take(threadId: string, id: string): OutboxMessage | undefined {
    const taken = this.get(threadId, id);
    if (taken !== undefined) {
      const remaining = this.list(threadId).filter((each) => each !== taken);
      this.#set(threadId, remaining);
    }
    return taken;
  }

  /** Removes and returns the messages with the stage "waiting". */
  takeWaiting(threadId: string): readonly OutboxMessage[] {
    const list = this.list(threadId);
    const waiting = list.filter(({ stage }) => stage === "waiting");
    const remaining = list.filter(({ stage }) => stage !== "waiting");
    if (waiting.length > 0) this.#set(threadId, remaining);
    return waiting;
  }

  /** Removes the messages that are already part of the conversation, because this tab or another tab has sent them. */
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
      // The list is stored without files. `removeFiles` marks messages that had files as failed, so that they are never
      // sent automatically without their files.
      const textOnly = list.map((item) => removeFiles(item, this.#newKey));
      // If even the text does not fit into the storage, the entry is removed; otherwise a reload would read the
      // previously stored list and send its messages.
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
  // The message gets a new idempotency key: under the old key, the server may have stored the message with its files.
  return markFailed({ ...item, id: newKey(), message }, error);
}
