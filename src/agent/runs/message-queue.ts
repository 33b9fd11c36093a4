// The queue of a run: "steer" messages are delivered after the current tool round, "follow-up" messages after an answer.
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
  /** Copies by id: readers of the queue could change the items' own messages. */
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

  /** Removes an item. Returns undefined if it is not in the queue. */
  remove(id: string): QueuedMessage | undefined {
    const removed = this.#items.find((item) => item.id === id);
    if (removed !== undefined) this.#items = this.#items.filter((item) => item !== removed);
    return removed;
  }

  /** Takes all steer messages, for delivery before the next call to the model. */
  takeSteer(): QueuedMessage[] {
    return this.#take(({ kind }) => kind === "steer");
  }

  /** Takes the messages for delivery after an answer: late steer messages, else one follow-up, which gets its own answer. */
  takeAfterAnswer(): QueuedMessage[] {
    const steer = this.takeSteer();
    if (steer.length > 0) return steer;
    const [first] = this.#items;
    return this.#take((item) => item === first);
  }

  /** Returns the messages of items, as they were when they were queued. */
  readMessages(items: readonly QueuedMessage[]): Message[] {
    return items.map(({ id, message }) => this.#messages.get(id) ?? message);
  }

  /** Creates follow-up items for messages that were not queued, such as the input of a cancelled run. */
  toQueued(messages: readonly Message[]): QueuedMessage[] {
    return messages.map((message) => createItem("follow-up", message));
  }

  /** Puts items back at the front, because they could not be delivered. */
  putBack(items: readonly QueuedMessage[]): void {
    this.#items = [...items, ...this.#items];
  }

  /** Rejects further messages; the queued ones stay readable. */
  close(): void {
    this.#isClosed = true;
  }

  #take(isTaken: (item: QueuedMessage) => boolean): QueuedMessage[] {
    const taken = this.#items.filter(isTaken);
    this.#items = this.#items.filter((item) => !isTaken(item));
    return taken;
  }
}
