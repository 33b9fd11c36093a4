// Reads server-sent events one at a time, and can stop in the middle.
import { SseParser } from "../../../src/sse/index.ts";
import type { SseEvent } from "../../../src/sse/index.ts";

export interface Reader extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** Returns the next event; undefined at the end. */
  next(): Promise<SseEvent | undefined>;
  /** Returns the events up to the first that matches. */
  until(matches: (event: SseEvent) => boolean): Promise<SseEvent[]>;
  rest(): Promise<SseEvent[]>;
  text(): Promise<string>;
}

export async function openEvents(url: string, init: RequestInit = {}): Promise<Reader> {
  const leaving = new AbortController();
  const reply = await fetch(url, { ...init, signal: leaving.signal });
  const parser = new SseParser();
  const waiting: SseEvent[] = [];
  const chunks = reply.body?.getReader();
  let isOver = chunks === undefined;
  const next = async (): Promise<SseEvent | undefined> => {
    while (waiting.length === 0 && !isOver) {
      const read = await chunks?.read();
      if (read?.value !== undefined) waiting.push(...parser.push(read.value));
      if (read?.done !== false) {
        isOver = true;
        waiting.push(...parser.end());
      }
    }
    const event = waiting.shift();
    // `retry` concerns the connection, not the event.
    delete event?.retry;
    return event;
  };
  const until = async (matches: (event: SseEvent) => boolean): Promise<SseEvent[]> => {
    const events: SseEvent[] = [];
    for (let event = await next(); event !== undefined; event = await next()) {
      events.push(event);
      if (matches(event)) break;
    }
    return events;
  };
  return {
    status: reply.status,
    headers: reply.headers,
    next,
    until,
    rest: () => until(() => false),
    text: () => reply.text(),
    async [Symbol.asyncDispose]() {
      leaving.abort();
    },
  };
}
