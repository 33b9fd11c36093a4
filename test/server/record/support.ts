// A recorder on its own ledger, with shorthands for its callers.
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { assistant, user } from "../../../src/model/index.ts";
import type { Delta, Message, ProviderError, ModelRequest, ModelResponse } from "../../../src/model/index.ts";
import { disassemble } from "../../../src/assembly/index.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { createRecorder } from "../../../src/server/record/index.ts";
import type { RecordedCall, Recorder, RecorderOptions, Recording } from "../../../src/server/record/index.ts";
import { createServices } from "../../../src/server/services.ts";
import type { ServerServices } from "../../../src/server/services.ts";
import type { Caller } from "../../../src/server/types.ts";

export interface RecorderHarness extends AsyncDisposable {
  services: ServerServices;
  recorder: Recorder;
  ledger: Ledger;
  caller: Caller;
  /** Returns all log lines. */
  log(): Promise<string>;
  open(messages: readonly Message[], more?: Partial<RecordedCall>): Promise<Recording>;
  /** Records a whole call with this answer. */
  recordCall(
    messages: readonly Message[],
    answerText: string | ModelResponse,
    more?: Partial<RecordedCall>,
  ): Promise<Recording>;
}

export interface RecorderHarnessOptions {
  ledger?: Ledger;
  config?: Omit<ConfigInput, "ledger"> & { ledger?: Exclude<ConfigInput["ledger"], string> };
  recorder?: RecorderOptions;
  scope?: string;
  tenant?: string;
}

export async function openRecorder(options: RecorderHarnessOptions = {}): Promise<RecorderHarness> {
  const { scope = "ann", config: configInput = {} } = options;
  const store = options.ledger ?? (await openLedger("memory:", { flushMs: 1 }));
  let log = "";
  // Streams are written at once, unless the test is about that delay.
  const config = completeConfig({
    log: { level: "debug", format: "json" },
    ...configInput,
    ledger: { flushMs: 0, ...configInput.ledger },
  });
  const services = await createServices(config, { ledger: store, write: (lines) => (log += lines) });
  const recorder = createRecorder(services, options.recorder);
  const ledger = options.tenant === undefined ? store : store.forTenant(options.tenant);
  const caller: Caller = { tenant: ledger.tenant, scope, ledger };
  const harness: RecorderHarness = {
    services,
    recorder,
    ledger,
    caller,
    // Lines are written at the end of an event-loop turn.
    log: () => new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(log)))),
    async open(messages, more = {}) {
      const request: ModelRequest = { model: "m", ...more.request, messages: [...messages] };
      const recording = await recorder.open({ caller, dialect: "openai-chat", ...more, request });
      if (recording === undefined) throw new Error("The call is not recorded.");
      return recording;
    },
    async recordCall(messages, answerText, more) {
      const recording = await harness.open(messages, more);
      const response = typeof answerText === "string" ? answer(answerText) : answerText;
      await recording.finish({ ...OUTCOME, response, responseId: response.id });
      return recording;
    },
    async [Symbol.asyncDispose]() {
      await recorder.close();
      await services.close();
      if (options.ledger === undefined) await store.close();
    },
  };
  return harness;
}

export const OUTCOME = { provider: "p", model: "m-1", attempts: [], losses: [] } as const;
export const BROKEN: ProviderError = { kind: "server", message: "it broke" };

let answerCount = 0;

export function answer(answerText: string | Message, id = `id-${++answerCount}`): ModelResponse {
  const message = typeof answerText === "string" ? assistant(answerText) : answerText;
  return { id, model: "m-1", message, finishReason: { unified: "stop" } };
}

export function deltasOf(answerText: string, id?: string): Delta[] {
  return disassemble(answer(answerText, id));
}

/** Returns the active path of a thread as "role: text" lines. */
export async function pathOf({ ledger }: Pick<RecorderHarness, "ledger">, threadId: string): Promise<string[]> {
  return (await ledger.transcript(threadId)).map(lineOf);
}

export function lineOf({ role, parts }: Message): string {
  return `${role}: ${parts.map((part) => ("text" in part ? part.text : part.type)).join("|")}`;
}

/** Returns a conversation of alternating user and assistant messages. */
export function conversation(...turns: string[]): Message[] {
  return turns.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text)));
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
