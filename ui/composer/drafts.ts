// What was written and not sent, by conversation: it is there after going elsewhere and back, and its words after a reload.
import type { Message } from "koine";
import { type Draft, EMPTY_DRAFT, withMessages } from "./attachments.ts";
import { type Shelf, tabShelf } from "./shelf.ts";

export class Drafts {
  private readonly kept = new Map<string, Draft>();
  private readonly listeners = new Set<() => void>();
  private readonly shelf: Shelf;

  constructor(texts: Shelf) {
    this.shelf = texts;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  get(key: string): Draft {
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const text = this.shelf.get(`draft.${key}`);
    const draft = typeof text === "string" ? { text, attachments: [] } : EMPTY_DRAFT;
    this.kept.set(key, draft);
    return draft;
  }

  set(key: string, draft: Draft): void {
    this.show(key, draft);
    this.settle(key);
  }

  /** Takes it away to send it. Its words outlive a reload until `settle` says that it has arrived, or `giveBack` that not. */
  take(key: string): Draft {
    const draft = this.get(key);
    this.show(key, EMPTY_DRAFT);
    return draft;
  }

  /** What is kept for a reload is what is shown. */
  settle(key: string): void {
    const { text } = this.get(key);
    this.shelf.set(`draft.${key}`, text === "" ? undefined : text);
  }

  change(key: string, change: (draft: Draft) => Draft): void {
    this.set(key, change(this.get(key)));
  }

  /** What was not said after all stands in the draft again. */
  giveBack(key: string, messages: readonly Message[]): void {
    if (messages.length > 0) this.change(key, (draft) => withMessages(draft, messages));
  }

  private show(key: string, draft: Draft): void {
    this.kept.set(key, draft);
    for (const listener of this.listeners) listener();
  }
}

export const drafts = new Drafts(tabShelf);
