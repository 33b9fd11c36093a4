// After an internal error, a call ends completely: its record, its idempotency key and its resources.
import { expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import { LedgerError } from "../../../src/ledger/index.ts";
import { CLIENT_PROTOCOLS } from "../../../src/server/gateway/protocols.ts";
import { ServerError } from "../../../src/server/errors.ts";
import type { Recorder, Recording } from "../../../src/server/record/types.ts";
import { startKoine } from "../support/start-koine.ts";
import { post, createRequest, startGateway } from "./support.ts";

/** A recorder that stores only how calls ended. */
function notes(overrides: Partial<Recording> = {}): Recorder & { log: string[] } {
  const log: string[] = [];
  return {
    log,
    async open({ request }) {
      return {
        threadId: "thread-1",
        runId: "run-1",
        messages: request.messages,
        isHistoryChanged: false,
        earlierAnswer: undefined,
        cancelled: new AbortController().signal,
        begin: () => {},
        ready: async () => {},
        push: () => {},
        finish: async () => void log.push("finish"),
        fail: async () => void log.push("fail"),
        ...overrides,
      };
    },
    cancel: async () => false,
    writePendingRuns: async () => {},
    close: async () => {},
  };
}

test("a refused record is reported with its status", async () => {
  const refused = new ServerError("invalid-request", "The call cannot be recorded: change it.", { path: "/x" });
  const finish = async (): Promise<never> => {
    throw refused;
  };
  await using koine = await startGateway({ providers: { demo: demo() } }, notes({ finish }));
  const reply = await post(koine, createRequest("openai-chat", "demo/koine", false));
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("change it")]);
});

test("a ledger error about the call is reported as such", async () => {
  const finish = async (): Promise<never> => {
    throw new LedgerError("conflict", "Somebody was faster.");
  };
  await using koine = await startGateway({ providers: { demo: demo() } }, notes({ finish }));
  const reply = await post(koine, createRequest("openai-chat", "demo/koine", false));
  expect(reply.status).toBe(409);
});

test("a provider name without a model is unknown, and no call is started", async () => {
  await using koine = await startKoine({ providers: { demo: demo() } });
  for (const model of ["demo/", "demo/ "]) {
    const headers = { "idempotency-key": "k" };
    const reply = await post(koine, createRequest("openai-chat", model, false), headers);
    expect([reply.status, reply.text]).toEqual([404, expect.stringContaining("no model")]);
  }
});

test.each([false, true])(
  "an answer that cannot be encoded for the client ends its record, stream: %s",
  async (stream) => {
    const { dialect } = CLIENT_PROTOCOLS["openai-chat"];
    const own = { ...dialect };
    const fail = (): never => {
      throw new Error("A fault.");
    };
    const recorder = notes();
    await using koine = await startGateway({ providers: { demo: demo() } }, recorder);
    try {
      Object.assign(dialect, { encodeResponse: fail, streamEncoder: () => ({ push: fail, end: fail, losses: [] }) });
      const reply = await post(koine, createRequest("openai-chat", "demo/koine", stream));
      expect(reply.status).toBe(500);
    } finally {
      Object.assign(dialect, own);
    }
    expect(recorder.log).toEqual(["fail"]);
  },
);

test("B89: a shutdown waits for a recorded stream whose client disconnected before the first delta", async () => {
  const called = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const provider: LocalProvider = {
    models: ["m"],
    async *answer() {
      called.resolve();
      await gate.promise;
      yield { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
      yield { kind: "text", payload: { textDelta: "One", partKey: 0 } };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
  const recorder = notes();
  const koine = await startGateway({ providers: { slow: provider }, drainMs: 5000 }, recorder);
  const leaving = new AbortController();
  const { path, body } = createRequest("openai-chat", "slow/m", true);
  const reply = fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
  await called.promise;
  leaving.abort();
  await expect(reply).rejects.toThrow();
  const closing = koine.close();
  // Enough event-loop turns for a shutdown that waits for nothing.
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  gate.resolve();
  await closing;
  expect(recorder.log).toEqual(["finish"]);
});
