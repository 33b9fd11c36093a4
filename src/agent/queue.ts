// What waits to be said: *steer* goes in between tools and the next call of the model, *follow-up* after an answer.
import { randomUUID } from "node:crypto";
import type { Message } from "../model/index.ts";
import { AgentError } from "./errors.ts";
import { copyOf } from "./record.ts";
import type { QueuedMessage, QueueKind } from "./types.ts";

function newItem(kind: QueueKind, message: Message): QueuedMessage {
  return { id: randomUUID(), kind, message };
}

export class MessageQueue {
  #items: readonly QueuedMessage[] = [];
  /** By id, as they were when they were queued: what is shown of them is in other hands, too. */
  readonly #messages = new Map<string, Message>();
  #closed = false;

  /** In the order in which they came. */
  get waiting(): readonly QueuedMessage[] {
    return this.#items;
  }

  add(kind: QueueKind, message: Message): QueuedMessage {
    if (this.#closed) {
      throw new AgentError("ended", "The run has ended and takes no more messages; say this with agent.run().");
    }
    const queued = newItem(kind, message);
    this.#messages.set(queued.id, copyOf(message));
    this.#items = [...this.#items, queued];
    return queued;
  }

  /** Takes one back; undefined where it does not wait any more. */
  remove(id: string): QueuedMessage | undefined {
    const found = this.#items.find((item) => item.id === id);
    if (found !== undefined) this.#items = this.#items.filter((item) => item !== found);
    return found;
  }

  /** What goes in before the model is asked again: every steer message. */
  takeSteer(): QueuedMessage[] {
    return this.#take(({ kind }) => kind === "steer");
  }

  /** What goes in after an answer: steer messages that came too late for it, else the next follow-up, which gets an answer of its own. */
  takeAfterAnswer(): QueuedMessage[] {
    const steer = this.takeSteer();
    if (steer.length > 0) return steer;
    const [first] = this.#items;
    return this.#take((item) => item === first);
  }

  /** What is to be said of items that were taken. */
  wordsOf(items: readonly QueuedMessage[]): Message[] {
    return items.map(({ id, message }) => this.#messages.get(id) ?? message);
  }

  /** Messages that did not come through the queue, as if they had. */
  itemsOf(messages: readonly Message[]): QueuedMessage[] {
    return messages.map((message) => newItem("follow-up", message));
  }

  /** What could not be said after all waits again, in front. */
  putBack(items: readonly QueuedMessage[]): void {
    this.#items = [...items, ...this.#items];
  }

  /** Nothing more is taken; what waits can still be seen. */
  close(): void {
    this.#closed = true;
  }

  #take(isTaken: (item: QueuedMessage) => boolean): QueuedMessage[] {
    const taken = this.#items.filter(isTaken);
    this.#items = this.#items.filter((item) => !isTaken(item));
    return taken;
  }
}
