// A recorder on a ledger of its own, and short words for what callers do with it.
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { assistant, user } from "../../../src/model/index.ts";
import type { Delta, Message, ProviderError, ModelRequest, Response } from "../../../src/model/index.ts";
import { disassemble } from "../../../src/assembly/index.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import { createRecorder } from "../../../src/server/record/index.ts";
import type { RecordedCall, Recorder, RecorderOptions, Recording } from "../../../src/server/record/index.ts";
import { makeServices } from "../../../src/server/services.ts";
import type { OwnServices } from "../../../src/server/services.ts";
import type { Caller } from "../../../src/server/types.ts";

export interface Desk extends AsyncDisposable {
  services: OwnServices;
  recorder: Recorder;
  ledger: Ledger;
  caller: Caller;
  /** Every line that was logged. */
  log(): Promise<string>;
  open(messages: readonly Message[], more?: Partial<RecordedCall>): Promise<Recording>;
  /** A whole call that is answered with these words. */
  ask(messages: readonly Message[], said: string | Response, more?: Partial<RecordedCall>): Promise<Recording>;
}

export interface DeskOptions {
  ledger?: Ledger;
  config?: ConfigInput;
  recorder?: RecorderOptions;
  scope?: string;
  tenant?: string;
}

export async function openDesk(options: DeskOptions = {}): Promise<Desk> {
  const { scope = "ann", config: given = {} } = options;
  const store = options.ledger ?? (await openLedger("memory:", { flushMs: 1 }));
  let log = "";
  // Streams are begun at once, unless the test is about when.
  const config = completeConfig({
    log: { level: "debug", format: "json" },
    ...given,
    ledger: { flushMs: 0, ...given.ledger },
  });
  const services = await makeServices(config, { ledger: store, write: (lines) => (log += lines) });
  const recorder = createRecorder(services, options.recorder);
  const ledger = options.tenant === undefined ? store : store.forTenant(options.tenant);
  const caller: Caller = { tenant: ledger.tenant, scope, ledger };
  const desk: Desk = {
    services,
    recorder,
    ledger,
    caller,
    // Lines go out at the end of a turn of the event loop.
    log: () => new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(log)))),
    async open(messages, more = {}) {
      const request: ModelRequest = { model: "m", ...more.request, messages: [...messages] };
      const recording = await recorder.open({ caller, dialect: "openai-chat", ...more, request });
      if (recording === undefined) throw new Error("The call is not recorded.");
      return recording;
    },
    async ask(messages, said, more) {
      const recording = await desk.open(messages, more);
      const response = typeof said === "string" ? answer(said) : said;
      await recording.finish({ ...FACTS, response, responseId: response.id });
      return recording;
    },
    async [Symbol.asyncDispose]() {
      await recorder.close();
      await services.close();
      if (options.ledger === undefined) await store.close();
    },
  };
  return desk;
}

export const FACTS = { provider: "p", model: "m-1", attempts: [], losses: [] } as const;
export const BROKEN: ProviderError = { kind: "server", message: "it broke" };

let made = 0;

export function answer(said: string | Message, id = `id-${++made}`): Response {
  const message = typeof said === "string" ? assistant(said) : said;
  return { id, model: "m-1", message, finishReason: { unified: "stop" } };
}

export function deltasOf(said: string, id?: string): Delta[] {
  return disassemble(answer(said, id));
}

/** The active path of a thread as "role: text" lines. */
export async function pathOf({ ledger }: Pick<Desk, "ledger">, threadId: string): Promise<string[]> {
  return (await ledger.transcript(threadId)).map(lineOf);
}

export function lineOf({ role, parts }: Message): string {
  return `${role}: ${parts.map((part) => ("text" in part ? part.text : part.type)).join("|")}`;
}

/** A conversation by turns: user, assistant, user … */
export function talk(...turns: string[]): Message[] {
  return turns.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text)));
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
