// Stores unsent drafts by conversation. Drafts survive navigation within the page; only their text survives a reload.
import type { Message } from "koine";
import { type MessageDraft, EMPTY_DRAFT, prependMessages } from "./attachments.ts";
import { onTabStorageCleared, type TabStorage, tabStorage } from "./tab-storage.ts";

export class DraftStore {
  readonly #drafts = new Map<string, MessageDraft>();
  readonly #listeners = new Set<() => void>();
  readonly #storage: TabStorage;

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  get(key: string): MessageDraft {
    const cached = this.#drafts.get(key);
    if (cached !== undefined) return cached;
    const draft = toDraft(this.#storage.get(`draft.${key}`));
    this.#drafts.set(key, draft);
    return draft;
  }

  set(key: string, draft: MessageDraft): void {
    this.#drafts.set(key, draft);
    const { text, attachments, lostFileNames = [] } = draft;
    const files = [...lostFileNames, ...attachments.map(({ name }) => name)];
    const isEmpty = text === "" && files.length === 0;
    this.#storage.set(`draft.${key}`, isEmpty ? undefined : { text, files });
    for (const listener of this.#listeners) listener();
  }

  /** Discards the cached drafts, so that they are read from the storage again. */
  reload(): void {
    this.#drafts.clear();
    for (const listener of this.#listeners) listener();
  }

  change(key: string, change: (draft: MessageDraft) => MessageDraft): void {
    this.set(key, change(this.get(key)));
  }

  /** Adds the text and the files of unsent messages to the draft, before the draft's own content. */
  restoreMessages(key: string, messages: readonly Message[]): void {
    if (messages.length > 0) this.change(key, (draft) => prependMessages(draft, messages));
  }
}

export const drafts = new DraftStore(tabStorage);
onTabStorageCleared(() => drafts.reload());

/**
 * Converts a stored entry to a draft. The entry has only the names of files, because files are too large for the
 * storage.
 */
function toDraft(stored: unknown): MessageDraft {
  // The cast is safe, because only `DraftStore.set` writes the stored drafts.
  const { text = "", files = [] } = (stored ?? {}) as { text?: string; files?: readonly string[] };
  if (text === "" && files.length === 0) return EMPTY_DRAFT;
  return { text, attachments: [], ...(files.length > 0 && { lostFileNames: files }) };
}
