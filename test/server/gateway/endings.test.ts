// Whatever goes wrong on our side, a call ends: its record, its key, and what it holds open.
import { expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import { LedgerError } from "../../../src/ledger/index.ts";
import { DOORS } from "../../../src/server/gateway/doors.ts";
import { ServerError } from "../../../src/server/errors.ts";
import type { Recorder, Recording } from "../../../src/server/record/types.ts";
import { startKoine } from "../support/koine.ts";
import { post, question, startGateway } from "./support.ts";

/** Records nothing, and notes how calls ended. */
function notes(given: Partial<Recording> = {}): Recorder & { log: string[] } {
  const log: string[] = [];
  return {
    log,
    async open({ request }) {
      return {
        threadId: "thread-1",
        runId: "run-1",
        messages: request.messages,
        changed: false,
        earlier: undefined,
        cancelled: new AbortController().signal,
        begin: () => {},
        ready: async () => {},
        push: () => {},
        finish: async () => void log.push("finish"),
        fail: async () => void log.push("fail"),
        ...given,
      };
    },
    cancel: async () => false,
    reveal: async () => {},
    close: async () => {},
  };
}

test("a record that is refused is told with the status of the refusal", async () => {
  const refused = new ServerError("invalid-request", "The call cannot be recorded: change it.", { path: "/x" });
  const finish = async (): Promise<never> => {
    throw refused;
  };
  await using koine = await startGateway({ providers: { demo: demo() } }, notes({ finish }));
  const heard = await post(koine, question("openai-chat", "demo/koine", false));
  expect([heard.status, heard.text]).toEqual([400, expect.stringContaining("change it")]);
});

test("what the ledger says of a call is told as what it is", async () => {
  const finish = async (): Promise<never> => {
    throw new LedgerError("conflict", "Somebody was faster.");
  };
  await using koine = await startGateway({ providers: { demo: demo() } }, notes({ finish }));
  const heard = await post(koine, question("openai-chat", "demo/koine", false));
  expect(heard.status).toBe(409);
});

test("a provider without a model is no model, and no call is begun", async () => {
  await using koine = await startKoine({ providers: { demo: demo() } });
  for (const model of ["demo/", "demo/ "]) {
    const headers = { "idempotency-key": "k" };
    const heard = await post(koine, question("openai-chat", model, false), headers);
    expect([heard.status, heard.text]).toEqual([404, expect.stringContaining("no model")]);
  }
});

test.each([false, true])(
  "an answer that cannot be put in the client's words ends its record, stream: %s",
  async (stream) => {
    const { dialect } = DOORS["openai-chat"];
    const own = { ...dialect };
    const fail = (): never => {
      throw new Error("A fault.");
    };
    const recorder = notes();
    await using koine = await startGateway({ providers: { demo: demo() } }, recorder);
    try {
      Object.assign(dialect, { encodeResponse: fail, streamEncoder: () => ({ push: fail, end: fail, losses: [] }) });
      const heard = await post(koine, question("openai-chat", "demo/koine", stream));
      expect(heard.status).toBe(500);
    } finally {
      Object.assign(dialect, own);
    }
    expect(recorder.log).toEqual(["fail"]);
  },
);

test("B89: a shutdown waits for a recorded stream whose client left before its first word", async () => {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const provider: LocalProvider = {
    models: ["m"],
    async *answer() {
      asked.resolve();
      await gate.promise;
      yield { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
      yield { kind: "text", payload: { textDelta: "One", part: 0 } };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
  const recorder = notes();
  const koine = await startGateway({ providers: { slow: provider }, drainMs: 5000 }, recorder);
  const leaving = new AbortController();
  const { path, body } = question("openai-chat", "slow/m", true);
  const reply = fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
  await asked.promise;
  leaving.abort();
  await expect(reply).rejects.toThrow();
  const closing = koine.close();
  // Long enough for a shutdown that waits for nothing.
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  gate.resolve();
  await closing;
  expect(recorder.log).toEqual(["finish"]);
});
