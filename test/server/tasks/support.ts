// A plain client of tasks with fetch and EventSource, and a model whose answers the test controls.
import { EventSource } from "eventsource";
import type { Effects, LocalProvider } from "../../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../../src/model/index.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { serveModules } from "../../../src/server/serve-modules.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { createServices } from "../../../src/server/services.ts";
import { tasksModule } from "../../../src/server/tasks/index.ts";

export interface TaskServerOptions extends ServerOptions {
  /** Replaces the duration of a sleep of the server. */
  sleepMs?: (ms: number) => number;
}

/** Starts a server with only the tasks module, on a free port. */
export async function startTasks(
  input: ConfigInput = {},
  { sleepMs = (ms) => ms, ...options }: TaskServerOptions = {},
): Promise<KoineServer> {
  const config = completeConfig({ port: 0, drainMs: 2000, log: { level: "silent", format: "json" }, ...input });
  const created = await createServices(config, options);
  const { clientContext } = created;
  const { effects } = clientContext;
  const sleep: Effects["sleep"] = (ms, signal) => effects.sleep(sleepMs(ms), signal);
  const services = { ...created, clientContext: { ...clientContext, effects: { ...effects, sleep } } };
  const server = serveModules(services, [tasksModule(services)]);
  await server.listen();
  return server;
}

// ---- The client ----

export interface ReceivedEvent {
  /** The SSE event name. */
  name: string;
  id: string;
  // The fields are written by the server under test.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

/** Reads a task's events and reconnects by itself, like a browser. */
export class TaskEventListener implements Disposable {
  readonly received: ReceivedEvent[] = [];
  readonly #source: EventSource;
  #wake: (() => void) | undefined;

  constructor(url: string, namespace = "koine") {
    this.#source = new EventSource(url);
    for (const name of [namespace, `${namespace}.queued_messages.synchronized`]) {
      this.#source.addEventListener(name, (event) => {
        this.received.push({ name, id: event.lastEventId, data: JSON.parse(event.data) });
        this.#wake?.();
      });
    }
  }

  /** Events without deltas and snapshots of the queue. */
  get events(): ReceivedEvent[] {
    return this.received.filter(({ name, data }) => !name.endsWith(".synchronized") && data.msg !== "Delta");
  }

  get eventNames(): string[] {
    return this.events.map(({ data }) => data.msg);
  }

  /** The events in order, as one text. */
  get eventSequence(): string {
    return this.eventNames.join(" ");
  }

  /** The snapshots of the queue, each as the texts of its messages. */
  get queues(): string[][] {
    const snapshots = this.received.filter(({ name }) => name.endsWith(".synchronized"));
    return snapshots.map(({ data }) => data.map((each: ReceivedEvent["data"]) => each.message.content));
  }

  /** Resolves when the received events satisfy the condition. */
  async until(condition: (listener: this) => boolean): Promise<this> {
    while (!condition(this)) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this;
  }

  /** Waits for a number of events of this kind. */
  untilEvent(msg: string, times = 1): Promise<this> {
    return this.until(({ received }) => received.filter(({ data }) => data.msg === msg).length >= times);
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

/** Creates a task and returns its URL. */
export async function createTask(url: string, body: object): Promise<string> {
  const { status, body: created } = await call(`${url}/v1/task`, body);
  if (status !== 201) throw new Error(`No task was made: ${JSON.stringify(created)}`);
  return `${url}/v1/task/${created.task.id}`;
}

// ---- The model ----

export interface PendingCall {
  readonly request: ModelRequest;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  complete(text: string): void;
  /** Calls tools in parallel: name, input, and an id if it matters. */
  call(...calls: [name: string, input: object, id?: string][]): void;
  /** Emits a part of an answer; more follows. */
  begin(text: string): void;
  fail(kind: string): void;
}

/** A model that answers when and as the test decides. */
export class ManualModel {
  readonly #waiting: PendingCall[] = [];
  #listeners: ((pendingCall: PendingCall) => void)[] = [];
  /** The number of calls. */
  count = 0;

  readonly provider: LocalProvider = {
    models: ["manual"],
    answer: (request, { signal }) => this.#answer(request, signal),
  };

  /** Resolves with the next call. */
  nextCall(): Promise<PendingCall> {
    const first = this.#waiting.shift();
    return first === undefined ? new Promise((resolve) => this.#listeners.push(resolve)) : Promise.resolve(first);
  }

  async *#answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<Delta> {
    const number = ++this.count;
    const batches: Delta[][] = [];
    let wake = (): void => undefined;
    const push = (...deltas: Delta[]): void => {
      batches.push(deltas);
      wake();
    };
    const usage: Delta = { kind: "usage", payload: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
    const done = (finishReason: "stop" | "tool-calls"): Delta[] => [usage, { kind: "done", payload: { finishReason } }];
    const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: 0 } });
    const pendingCall: PendingCall = {
      request,
      signal,
      begin: (content) => push(text(content)),
      complete: (content) => push(text(content), ...done("stop")),
      call: (...calls) =>
        push(...calls.flatMap((each, at) => callDeltas(each, `call_${number}_${at}`, at + 1)), ...done("tool-calls")),
      fail: (errorCode) =>
        push({ kind: "error", payload: { errorCode, message: `It was made to fail: ${errorCode}.` } }),
    };
    const next = this.#listeners.shift();
    if (next === undefined) this.#waiting.push(pendingCall);
    else next(pendingCall);
    yield { kind: "start", payload: { modelId: "manual", requestId: `answer_${number}`, contractVersion: 1 } };
    for (;;) {
      const batch = batches.shift();
      if (batch === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        signal.throwIfAborted();
        continue;
      }
      yield* batch;
      const last = batch.at(-1)?.kind;
      if (last === "done" || last === "error") return;
    }
  }
}

function callDeltas([toolName, input, id]: [string, object, string?], fallback: string, part: number): Delta[] {
  const toolCallId = id ?? fallback;
  return [
    { kind: "tool_call_start", payload: { toolCallId, toolName, partKey: part } },
    { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: JSON.stringify(input) } },
    { kind: "tool_call_end", payload: { toolCallId } },
  ];
}

/** Returns the messages of a call as role and text. */
export function toMessageLines({ messages }: ModelRequest): string[] {
  return messages.map(({ role, parts }) => {
    const content = parts.map((part) =>
      part.type === "text"
        ? part.text
        : part.type === "tool-call"
          ? `→${part.toolName}`
          : part.type === "tool-result"
            ? `←${String(part.output)}`
            : part.type,
    );
    return `${role}: ${content.join(" ")}`;
  });
}
