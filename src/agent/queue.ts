// What waits to be said: *steer* goes in between tools and the next call of the model, *follow-up* after an answer.
import { randomUUID } from "node:crypto";
import type { Message } from "../model/index.ts";
import { AgentError } from "./errors.ts";
import type { QueuedMessage, QueueKind } from "./types.ts";

export class MessageQueue {
  private items: readonly QueuedMessage[] = [];
  private closed = false;

  /** In the order in which they came. */
  get waiting(): readonly QueuedMessage[] {
    return this.items;
  }

  add(kind: QueueKind, message: Message): QueuedMessage {
    if (this.closed) {
      throw new AgentError("ended", "The run has ended and takes no more messages; say this with agent.run().");
    }
    const queued = { id: randomUUID(), kind, message };
    this.items = [...this.items, queued];
    return queued;
  }

  /** Takes one back; undefined where it does not wait any more. */
  remove(id: string): QueuedMessage | undefined {
    const found = this.items.find((item) => item.id === id);
    if (found !== undefined) this.items = this.items.filter((item) => item !== found);
    return found;
  }

  /** What goes in before the model is asked again: every steer message. */
  takeSteer(): QueuedMessage[] {
    return this.take(({ kind }) => kind === "steer");
  }

  /** What goes in after an answer: steer messages that came too late for it, else the next follow-up, which gets an answer of its own. */
  takeAfterAnswer(): QueuedMessage[] {
    const steer = this.takeSteer();
    if (steer.length > 0) return steer;
    const [first] = this.items;
    return this.take((item) => item === first);
  }

  /** What could not be said after all waits again, in front. */
  putBack(items: readonly QueuedMessage[]): void {
    this.items = [...items, ...this.items];
  }

  /** Nothing more is taken; what waits can still be seen. */
  close(): void {
    this.closed = true;
  }

  private take(isTaken: (item: QueuedMessage) => boolean): QueuedMessage[] {
    const taken = this.items.filter(isTaken);
    this.items = this.items.filter((item) => !isTaken(item));
    return taken;
  }
}
