// Implements the queue of a run: "steer" messages are delivered after the current tool round, "follow-up" messages
// after an answer.
import { randomUUID } from "node:crypto";
import type { Message } from "../../model/index.ts";
import { AgentError } from "../errors.ts";
import type { QueuedMessage, QueueKind } from "../types.ts";
import { copyJson } from "./recorded-answer.ts";

function createItem(kind: QueueKind, message: Message): QueuedMessage {
  return { id: randomUUID(), kind, message };
}

export class MessageQueue {
  #items: readonly QueuedMessage[] = [];
  /**
   * Copies of the messages, by the id of the item, because readers of the queue could change the messages of its items.
   */
  readonly #messages = new Map<string, Message>();
  #isClosed = false;

  /** The queued messages in order. */
  get waiting(): readonly QueuedMessage[] {
    return this.#items;
  }

  add(kind: QueueKind, message: Message): QueuedMessage {
    if (this.#isClosed) {
      throw new AgentError("ended", "The run has ended and accepts no more messages; use agent.run().");
    }
    const queued = createItem(kind, message);
    this.#messages.set(queued.id, copyJson(message));
    this.#items = [...this.#items, queued];
    return queued;
  }

  /** Removes an item and returns it; returns undefined if the item is not in the queue. */
  remove(id: string): QueuedMessage | undefined {
    const removed = this.#items.find((item) => item.id === id);
    if (removed !== undefined) this.#items = this.#items.filter((item) => item !== removed);
    return removed;
  }

  /** Removes and returns all "steer" messages, for delivery before the next call to the model. */
  takeSteer(): QueuedMessage[] {
    return this.#take(({ kind }) => kind === "steer");
  }

  /**
   * Removes and returns the messages to deliver after an answer: the "steer" messages or, if there are none, one
   * follow-up, so that each follow-up receives its own answer.
   */
  takeAfterAnswer(): QueuedMessage[] {
    const steer = this.takeSteer();
    if (steer.length > 0) return steer;
    const [first] = this.#items;
    return this.#take((item) => item === first);
  }

  /** Returns the messages of items as they were when the items were queued. */
  readMessages(items: readonly QueuedMessage[]): Message[] {
    return items.map(({ id, message }) => this.#messages.get(id) ?? message);
  }

  /** Creates follow-up items for messages that were not queued, such as the input of a cancelled run. */
  toQueued(messages: readonly Message[]): QueuedMessage[] {
    return messages.map((message) => createItem("follow-up", message));
  }

  /** Returns items to the front of the queue, because they could not be delivered. */
  putBack(items: readonly QueuedMessage[]): void {
    this.#items = [...items, ...this.#items];
  }

  /** Rejects further messages; messages that are already queued stay readable. */
  close(): void {
    this.#isClosed = true;
  }

  #take(isTaken: (item: QueuedMessage) => boolean): QueuedMessage[] {
    const taken = this.#items.filter(isTaken);
    this.#items = this.#items.filter((item) => !isTaken(item));
    return taken;
  }
}
