// Implements the `AgentRun` that callers receive: events, queue, result and cancellation. The loop is passed to the
// constructor.
import type { Message } from "../../model/index.ts";
import { EventChannel } from "./event-channel.ts";
import { toMessage } from "../check-input.ts";
import { MessageQueue } from "./message-queue.ts";
import type { AgentEvent, AgentResult, AgentRun, QueuedMessage, QueueKind } from "../types.ts";

/** The functions and the queue of a run that its loop uses. */
export interface RunControl {
  readonly signal: AbortSignal;
  readonly queue: MessageQueue;
  readonly emit: (event: AgentEvent) => void;
  /** Called once, when the id of the thread is known. */
  setThreadId(threadId: string): void;
}

export class LiveRun implements AgentRun {
  readonly threadId: Promise<string>;
  readonly #events = new EventChannel<AgentEvent>();
  readonly #messages = new MessageQueue();
  readonly #controller = new AbortController();
  readonly #result: Promise<AgentResult>;
  /** True while a reader iterates over the events. */
  #hasReader = false;

  constructor(execute: (control: RunControl) => Promise<AgentResult>, signal: AbortSignal | undefined) {
    const thread = Promise.withResolvers<string>();
    this.threadId = thread.promise;
    const stop = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    const controller = this.#controller;
    const queue = this.#messages;
    const emit = (event: AgentEvent): void => {
      // Deltas are dropped if no reader iterates, because there are many and the message event has their content.
      if (event.type !== "delta" || this.#hasReader) this.#events.push(event);
    };
    this.#result = execute({ signal: controller.signal, queue, emit, setThreadId: thread.resolve })
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
    // Rejections are marked as handled, because the caller may never read these promises.
    this.#result.catch(() => undefined);
    this.threadId.catch(() => undefined);
  }

  result(): Promise<AgentResult> {
    return this.#result;
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
    if (queued !== undefined) this.#events.push({ type: "unqueued", queued, delivered: false });
    return queued !== undefined;
  }

  async cancel(reason: unknown = new DOMException("The run was cancelled.", "AbortError")): Promise<QueuedMessage[]> {
    this.#controller.abort(reason);
    const result = await this.#result.catch(() => undefined);
    return result?.pending ?? [...this.#messages.waiting];
  }

  next(): Promise<IteratorResult<AgentEvent>> {
    this.#hasReader = true;
    return this.#events.next();
  }

  /** Ends an iteration. The run is not cancelled; a later loop continues at the same event. */
  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#hasReader = false;
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
