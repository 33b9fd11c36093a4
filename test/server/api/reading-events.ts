// Reads server-sent events as a plain client does, one at a time, and can leave in the middle.
import { SseParser } from "../../../src/sse/index.ts";
import type { SseEvent } from "../../../src/sse/index.ts";

export interface Reader extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; undefined at the end. */
  next(): Promise<SseEvent | undefined>;
  /** Events up to the first that satisfies. */
  until(wanted: (event: SseEvent) => boolean): Promise<SseEvent[]>;
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
    // When to come back is about the connection, whichever event it came with.
    delete event?.retry;
    return event;
  };
  const until = async (wanted: (event: SseEvent) => boolean): Promise<SseEvent[]> => {
    const events: SseEvent[] = [];
    for (let event = await next(); event !== undefined; event = await next()) {
      events.push(event);
      if (wanted(event)) break;
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
