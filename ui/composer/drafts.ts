// What was written and not sent, by conversation: it is there after going elsewhere and back, and its words after a reload.
import type { Message } from "koine";
import { type Draft, EMPTY_DRAFT, withMessages } from "./attachments.ts";
import { onForgotten, type Shelf, tabShelf } from "./shelf.ts";

export class Drafts {
  readonly #kept = new Map<string, Draft>();
  readonly #listeners = new Set<() => void>();
  readonly #shelf: Shelf;

  constructor(texts: Shelf) {
    this.#shelf = texts;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  get(key: string): Draft {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const draft = readDraft(this.#shelf.get(`draft.${key}`));
    this.#kept.set(key, draft);
    return draft;
  }

  set(key: string, draft: Draft): void {
    this.#kept.set(key, draft);
    const { text, attachments, gone = [] } = draft;
    const files = [...gone, ...attachments.map(({ name }) => name)];
    const isEmpty = text === "" && files.length === 0;
    this.#shelf.set(`draft.${key}`, isEmpty ? undefined : { text, files });
    for (const listener of this.#listeners) listener();
  }

  /** Reads the shelf anew. */
  forget(): void {
    this.#kept.clear();
    for (const listener of this.#listeners) listener();
  }

  change(key: string, change: (draft: Draft) => Draft): void {
    this.set(key, change(this.get(key)));
  }

  /** What was not said after all stands in the draft again. */
  giveBack(key: string, messages: readonly Message[]): void {
    if (messages.length > 0) this.change(key, (draft) => withMessages(draft, messages));
  }
}

export const drafts = new Drafts(tabShelf);
onForgotten(() => drafts.forget());

/** Files are too large to be kept: their names are. */
function readDraft(stored: unknown): Draft {
  // Written by `set` alone.
  const { text = "", files = [] } = (stored ?? {}) as { text?: string; files?: readonly string[] };
  if (text === "" && files.length === 0) return EMPTY_DRAFT;
  return { text, attachments: [], ...(files.length > 0 && { gone: files }) };
}
