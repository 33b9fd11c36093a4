// Words that have left the field and are not recorded yet: those that wait for an answer, those on their way, and those of
// which nobody knows whether they have arrived. They are kept over a reload under the key that they are said with, which is
// the same at every try, until they are recorded.
import type { Message } from "koine";
import { newId } from "../data/effects.ts";
import type { AskSettings, ConversationState, QueuedMessage } from "../data/types.ts";
import { keyOf } from "../data/conversation/actions.ts";
import { onForgotten, type Shelf, tabShelf } from "./shelf.ts";

/** Its id is its key. */
export interface Outgoing extends QueuedMessage {
  /** Which model it is for, where one was chosen, and how that is asked. */
  ask: AskSettings;
  stage: "waiting" | "sending" | "failed";
  /** Of one that failed: why, or what is known of it. */
  error?: string;
}

const NONE: readonly Outgoing[] = [];
export const LEFT = "This was being sent when the page was left.";

const browserKeys = (): string =>
  newId({ now: () => Date.now(), randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)) });

export class Outbox {
  readonly #lists = new Map<string, readonly Outgoing[]>();
  readonly #listeners = new Set<() => void>();
  readonly #shelf: Shelf;
  readonly #newKey: () => string;
  /** Threads whose files are too large to outlive a reload. */
  readonly #unkept = new Set<string>();

  constructor(lists: Shelf, newKey: () => string = browserKeys) {
    this.#shelf = lists;
    this.#newKey = newKey;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  list(threadId: string): readonly Outgoing[] {
    const known = this.#lists.get(threadId);
    if (known !== undefined) return known;
    // Written by `set` alone.
    const stored = this.#shelf.get(nameOf(threadId)) as readonly Outgoing[] | undefined;
    const list = (stored ?? NONE).map((item) => (item.stage === "sending" ? failedWith(item, LEFT) : item));
    this.#lists.set(threadId, list);
    return list;
  }

  get(threadId: string, id: string): Outgoing | undefined {
    return this.list(threadId).find((each) => each.id === id);
  }

  isKept(threadId: string): boolean {
    return !this.#unkept.has(threadId);
  }

  add(threadId: string, words: Omit<Outgoing, "id" | "error">): Outgoing {
    const item = { ...words, id: this.#newKey() };
    this.#set(threadId, [...this.list(threadId), item]);
    return item;
  }

  /** On its way, or back in its place. */
  move(threadId: string, id: string, stage: "waiting" | "sending"): void {
    this.#change(threadId, id, (item) => {
      const { error: _, ...rest } = item;
      return { ...rest, stage };
    });
  }

  fail(threadId: string, id: string, error: string): void {
    this.#change(threadId, id, (item) => failedWith(item, error));
  }

  /** Takes one from the list; undefined where it is there no more. */
  take(threadId: string, id: string): Outgoing | undefined {
    const taken = this.get(threadId, id);
    if (taken !== undefined) {
      const rest = this.list(threadId).filter((each) => each !== taken);
      this.#set(threadId, rest);
    }
    return taken;
  }

  /** Takes those that nobody has begun to say. */
  takeWaiting(threadId: string): readonly Outgoing[] {
    const list = this.list(threadId);
    const waiting = list.filter(({ stage }) => stage === "waiting");
    const rest = list.filter(({ stage }) => stage !== "waiting");
    if (waiting.length > 0) this.#set(threadId, rest);
    return waiting;
  }

  /** What stands in the conversation is not to be said any more, whoever has said it. */
  settle(threadId: string, { bodies }: Pick<ConversationState, "bodies">): void {
    const list = this.list(threadId);
    if (list.length === 0) return;
    const said = new Set<string | undefined>();
    for (const message of bodies.values()) said.add(keyOf(message));
    const rest = list.filter(({ id }) => !said.has(id));
    if (rest.length < list.length) this.#set(threadId, rest);
  }

  /** Reads the shelf anew. */
  forget(): void {
    this.#lists.clear();
    for (const listener of this.#listeners) listener();
  }

  #change(threadId: string, id: string, change: (item: Outgoing) => Outgoing): void {
    const list = this.list(threadId).map((item) => (item.id === id ? change(item) : item));
    this.#set(threadId, list);
  }

  #set(threadId: string, list: readonly Outgoing[]): void {
    this.#lists.set(threadId, list);
    const name = nameOf(threadId);
    this.#unkept.delete(threadId);
    if (!this.#shelf.set(name, list.length === 0 ? undefined : list)) {
      this.#unkept.add(threadId);
      // The words alone; without their files, nothing is said by itself.
      const words = list.map((item) => withoutFiles(item, this.#newKey));
      // What stands there else is an older list: after a reload it would be said again.
      if (!this.#shelf.set(name, words)) this.#shelf.set(name, undefined);
    }
    for (const listener of this.#listeners) listener();
  }
}

export const outbox = new Outbox(tabShelf);
onForgotten(() => outbox.forget());

function nameOf(threadId: string): string {
  return `outbox.${threadId}`;
}

function failedWith(item: Outgoing, error: string): Outgoing {
  return { ...item, stage: "failed", error };
}

function withoutFiles(item: Outgoing, newKey: () => string): Outgoing {
  const files = item.message.parts.filter(({ type }) => type !== "text");
  if (files.length === 0) return item;
  const names = files.map((part) => ("name" in part && typeof part.name === "string" ? part.name : part.type));
  const message: Message = { ...item.message, parts: item.message.parts.filter(({ type }) => type === "text") };
  const error = `${LEFT} Its files were too large to be kept: ${names.join(", ")}.`;
  // Other words than those that may have arrived.
  return failedWith({ ...item, id: newKey(), message }, error);
}
