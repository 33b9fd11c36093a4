// A client of tasks as anybody would write one, fetch and EventSource, and a model whose every answer the test gives.
import { EventSource } from "eventsource";
import type { LocalProvider } from "../../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../../src/model/index.ts";
import { completeConfig, type ConfigInput } from "../../../src/server/config/defaults.ts";
import { serveParts } from "../../../src/server/serve-parts.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { makeServices } from "../../../src/server/services.ts";
import { tasksModule } from "../../../src/server/tasks/index.ts";

/** A server of nothing but tasks, on a free port. */
export async function startTasks(input: ConfigInput = {}, options: ServerOptions = {}): Promise<KoineServer> {
  const config = completeConfig({ port: 0, drainMs: 2000, log: { level: "silent", format: "json" }, ...input });
  const services = await makeServices(config, options);
  const server = serveParts(services, [tasksModule(services)]);
  await server.listen();
  return server;
}

// ---- The client ----

export interface Heard {
  /** The event's name on the wire. */
  name: string;
  id: string;
  // What tests look at is written by the server under test.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

/** Reads a task's events, and goes on by itself where its connection breaks, as a browser does. */
export class Listener implements Disposable {
  readonly heard: Heard[] = [];
  readonly #source: EventSource;
  #wake: (() => void) | undefined;

  constructor(url: string, namespace = "koine") {
    this.#source = new EventSource(url);
    for (const name of [namespace, `${namespace}.queued_messages.synchronized`]) {
      this.#source.addEventListener(name, (event) => {
        this.heard.push({ name, id: event.lastEventId, data: JSON.parse(event.data) });
        this.#wake?.();
      });
    }
  }

  /** Events proper, without deltas and pictures of the queue. */
  get events(): Heard[] {
    return this.heard.filter(({ name, data }) => !name.endsWith(".synchronized") && data.msg !== "Delta");
  }

  get words(): string[] {
    return this.events.map(({ data }) => data.msg);
  }

  /** What happened, in the order in which it did. */
  get story(): string {
    return this.words.join(" ");
  }

  /** The pictures of the queue, each as the texts that wait. */
  get queues(): string[][] {
    const pictures = this.heard.filter(({ name }) => name.endsWith(".synchronized"));
    return pictures.map(({ data }) => data.map((each: Heard["data"]) => each.message.content));
  }

  /** Resolves once what was heard fulfils the wish. */
  async until(wish: (listener: this) => boolean): Promise<this> {
    while (!wish(this)) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this;
  }

  /** Until so many events of this kind were heard. */
  untilSaid(msg: string, times = 1): Promise<this> {
    return this.until(({ heard }) => heard.filter(({ data }) => data.msg === msg).length >= times);
  }

  close(): void {
    this.#source.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export interface Answered {
  status: number;
  // As above.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export async function call(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const init =
    body === undefined
      ? { headers }
      : { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
  const reply = await fetch(url, init);
  return { status: reply.status, body: await reply.json() };
}

/** Makes a task and gives where it is. */
export async function makeTask(url: string, body: object): Promise<string> {
  const { status, body: made } = await call(`${url}/v1/task`, body);
  if (status !== 201) throw new Error(`No task was made: ${JSON.stringify(made)}`);
  return `${url}/v1/task/${made.task.id}`;
}

// ---- The model ----

export interface Asked {
  readonly request: ModelRequest;
  /** Aborted where whoever asked is not interested any more. */
  readonly signal: AbortSignal;
  say(text: string): void;
  /** Calls tools side by side: name, input, and an id where it matters. */
  call(...calls: [name: string, input: object, id?: string][]): void;
  /** Says a part of an answer, and more later. */
  begin(text: string): void;
  fail(kind: string): void;
}

/** A model that answers what the test says, when the test says it. */
export class HeldModel {
  readonly #waiting: Asked[] = [];
  #wanted: ((asked: Asked) => void)[] = [];
  /** How often it was asked. */
  count = 0;

  readonly provider: LocalProvider = {
    models: ["held"],
    answer: (request, { signal }) => this.#answer(request, signal),
  };

  /** The next question, once there is one. */
  asked(): Promise<Asked> {
    const first = this.#waiting.shift();
    return first === undefined ? new Promise((resolve) => this.#wanted.push(resolve)) : Promise.resolve(first);
  }

  async *#answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<Delta> {
    const number = ++this.count;
    const pieces: Delta[][] = [];
    let wake = (): void => undefined;
    const push = (...deltas: Delta[]): void => {
      pieces.push(deltas);
      wake();
    };
    const usage: Delta = { kind: "usage", payload: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
    const done = (finishReason: "stop" | "tool-calls"): Delta[] => [usage, { kind: "done", payload: { finishReason } }];
    const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, part: 0 } });
    const asked: Asked = {
      request,
      signal,
      begin: (words) => push(text(words)),
      say: (words) => push(text(words), ...done("stop")),
      call: (...calls) =>
        push(...calls.flatMap((each, at) => callDeltas(each, `call_${number}_${at}`, at + 1)), ...done("tool-calls")),
      fail: (errorCode) =>
        push({ kind: "error", payload: { errorCode, message: `It was made to fail: ${errorCode}.` } }),
    };
    const next = this.#wanted.shift();
    if (next === undefined) this.#waiting.push(asked);
    else next(asked);
    yield { kind: "start", payload: { modelId: "held", requestId: `answer_${number}`, contractVersion: 1 } };
    for (;;) {
      const piece = pieces.shift();
      if (piece === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        signal.throwIfAborted();
        continue;
      }
      yield* piece;
      const last = piece.at(-1)?.kind;
      if (last === "done" || last === "error") return;
    }
  }
}

function callDeltas([toolName, input, id]: [string, object, string?], fallback: string, part: number): Delta[] {
  const toolCallId = id ?? fallback;
  return [
    { kind: "tool_call_start", payload: { toolCallId, toolName, part } },
    { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: JSON.stringify(input) } },
    { kind: "tool_call_end", payload: { toolCallId } },
  ];
}

/** What the model was told, role and text. */
export function toldOf({ messages }: ModelRequest): string[] {
  return messages.map(({ role, parts }) => {
    const words = parts.map((part) =>
      part.type === "text"
        ? part.text
        : part.type === "tool-call"
          ? `→${part.toolName}`
          : part.type === "tool-result"
            ? `←${String(part.output)}`
            : part.type,
    );
    return `${role}: ${words.join(" ")}`;
  });
}
