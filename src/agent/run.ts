// A run of the agent in the hands of its caller: events, queues, the end. The work itself is given to it.
import type { Message } from "../model/index.ts";
import { Channel } from "./channel.ts";
import { toMessage } from "./input.ts";
import { MessageQueue } from "./queue.ts";
import type { AgentEvent, AgentResult, AgentRun, QueuedMessage, QueueKind } from "./types.ts";

/** What the work of a run is given. */
export interface RunControl {
  readonly signal: AbortSignal;
  readonly queue: MessageQueue;
  readonly emit: (event: AgentEvent) => void;
  /** The thread is known. */
  settle(threadId: string): void;
}

export class LiveRun implements AgentRun {
  readonly threadId: Promise<string>;
  readonly #events = new Channel<AgentEvent>();
  readonly #messages = new MessageQueue();
  readonly #controller = new AbortController();
  readonly #ending: Promise<AgentResult>;
  /** Whether somebody reads the events. */
  #isRead = false;

  constructor(work: (control: RunControl) => Promise<AgentResult>, signal: AbortSignal | undefined) {
    const thread = Promise.withResolvers<string>();
    this.threadId = thread.promise;
    const stop = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    const controller = this.#controller;
    const queue = this.#messages;
    const emit = (event: AgentEvent): void => {
      // There are thousands, and whoever comes later is told of the whole message.
      if (event.type !== "delta" || this.#isRead) this.#events.push(event);
    };
    this.#ending = work({ signal: controller.signal, queue, emit, settle: thread.resolve })
      .then(
        (result) => {
          emit({ type: "end", result });
          this.#events.end();
          return result;
        },
        (error: unknown) => {
          queue.close();
          thread.reject(error);
          this.#events.end({ error });
          throw error;
        },
      )
      .finally(() => signal?.removeEventListener("abort", stop));
    // Whoever asks is told; nobody has to.
    this.#ending.catch(() => undefined);
    this.threadId.catch(() => undefined);
  }

  result(): Promise<AgentResult> {
    return this.#ending;
  }

  get queue(): readonly QueuedMessage[] {
    return this.#messages.waiting;
  }

  steer(message: string | Message): QueuedMessage {
    return this.#enqueue("steer", message);
  }

  followUp(message: string | Message): QueuedMessage {
    return this.#enqueue("follow-up", message);
  }

  unqueue(id: string): boolean {
    const queued = this.#messages.remove(id);
    if (queued !== undefined) this.#events.push({ type: "unqueued", queued, said: false });
    return queued !== undefined;
  }

  async cancel(reason: unknown = new DOMException("The run was cancelled.", "AbortError")): Promise<QueuedMessage[]> {
    this.#controller.abort(reason);
    const result = await this.#ending.catch(() => undefined);
    return result?.pending ?? [...this.#messages.waiting];
  }

  next(): Promise<IteratorResult<AgentEvent>> {
    this.#isRead = true;
    return this.#events.next();
  }

  /** Leaving the loop does not cancel; another loop goes on where this one was. */
  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#isRead = false;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #enqueue(kind: QueueKind, input: string | Message): QueuedMessage {
    const queued = this.#messages.add(kind, toMessage(input, "/message"));
    this.#events.push({ type: "queued", queued });
    return queued;
  }
}
