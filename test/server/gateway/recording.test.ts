// The gateway and its recorder: which calls are recorded and when, clients that disconnect (B89), and ledgers that
// cannot be written.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { ProviderError, ModelResponse } from "../../../src/index.ts";
import { assistant, text, user } from "../../../src/index.ts";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import { ServerError } from "../../../src/server/errors.ts";
import type { RecordedAnswer, RecordedCall, Recorder, Recording } from "../../../src/server/record/types.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { CLIENTS, eventsOf, post, createRequest, startGateway } from "./support.ts";

/** A recorder that stores its calls; the test controls its promises. */
class Notes implements Recorder {
  readonly calls: RecordedCall[] = [];
  readonly log: string[] = [];
  answer: RecordedAnswer | undefined;
  failure: ProviderError | undefined;
  readonly cancelling = new AbortController();
  readonly ended = Promise.withResolvers<void>();
  overrides: Partial<Recording> = {};

  async open(call: RecordedCall): Promise<Recording> {
    this.calls.push(call);
    const { messages } = call.request;
    return {
      threadId: "thread-1",
      runId: "run-1",
      messages,
      isHistoryChanged: false,
      earlierAnswer: undefined,
      cancelled: this.cancelling.signal,
      begin: ({ provider, model }) => void this.log.push(`begin ${provider} ${model}`),
      ready: async () => void this.log.push("ready"),
      push: (deltas) => void this.log.push(...deltas.map(({ kind }) => kind)),
      finish: async (answer) => {
        this.answer = answer;
        this.log.push("finish");
        this.ended.resolve();
      },
      fail: async (error) => {
        this.failure = error;
        this.log.push("fail");
        this.ended.resolve();
      },
      ...this.overrides,
    };
  }
  async cancel(): Promise<boolean> {
    return false;
  }
  async writePendingRuns(): Promise<void> {}
  async close(): Promise<void> {}
}

test.each(CLIENTS)("%s: a stream is started, ready before its first byte, pushed and finished", async (client) => {
  await using upstream = await startUpstream("anthropic", () => "One two.");
  const notes = new Notes();
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  const received = await post(koine, createRequest(client, `up/${upstream.model}`, true));
  expect(received.headers.get("x-koine-thread")).toBe("thread-1");
  expect(received.headers.get("x-koine-run")).toBe("run-1");
  const kinds = notes.log.filter((kind) => kind !== "usage");
  expect(kinds.slice(0, 4)).toEqual([`begin up ${upstream.model}`, "ready", "start", "text"]);
  expect(kinds.slice(-2)).toEqual(["done", "finish"]);
  expect(notes.answer).toMatchObject({ provider: "up", model: upstream.model, attempts: [{ status: 200 }] });
  expect(notes.calls[0]).toMatchObject({ dialect: client, caller: { tenant: "default", scope: "local" } });
});

test.each(CLIENTS)("%s: a whole answer is finished once, with the complete answer", async (client) => {
  await using upstream = await startUpstream("anthropic", () => "One two.");
  const notes = new Notes();
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  const received = await post(koine, createRequest(client, `up/${upstream.model}`, false));
  expect(received.status).toBe(200);
  expect(notes.log).toEqual(["finish"]);
  expect(notes.answer?.response?.message).toMatchObject({
    role: "assistant",
    parts: [{ type: "text", text: "One two." }],
  });
  expect(received.headers.get("x-koine-run")).toBe("run-1");
});

test.each([true, false])("the end of an answer waits for its record, stream: %s", async (stream) => {
  const gate = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const notes = new Notes();
  notes.overrides = {
    async finish() {
      called.resolve();
      await gate.promise;
      notes.log.push("durable");
    },
  };
  await using koine = await startGateway({ providers: { demo: demo() } }, notes);
  const { path, body } = createRequest("openai-chat", "demo/koine", stream, "say One two.");
  const reply = fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  await called.promise;
  const ended = reply
    .then((each) => each.text())
    .then((all) => {
      notes.log.push("received");
      return all;
    });
  gate.resolve();
  expect(await ended).toContain("two");
  expect(notes.log.slice(-2)).toEqual(["durable", "received"]);
});

describe("recording can be disabled", () => {
  test.each<[sentence: string, headers: Record<string, string>, more: object, isRecorded: boolean]>([
    ["neither header nor request decides", {}, {}, true],
    ["the header is off", { "x-koine-record": "off" }, {}, false],
    ["the request has store false", {}, { store: false }, false],
    ["the header is on although the request has store false", { "x-koine-record": "on" }, { store: false }, true],
  ])("%s", async (_, headers, more, isRecorded) => {
    for (const client of ["openai-chat", "openai-responses"] as const) {
      const notes = new Notes();
      await using koine = await startGateway({ providers: { demo: demo() } }, notes);
      const { path, body } = createRequest(client, "demo/koine", false);
      const received = await post(koine, { path, body: { ...body, ...more } }, headers);
      expect([received.status, notes.calls.length]).toEqual([200, isRecorded ? 1 : 0]);
      expect(received.headers.get("x-koine-thread")).toBe(isRecorded ? "thread-1" : null);
    }
  });

  test("the configuration disables recording", async () => {
    const notes = new Notes();
    await using koine = await startGateway({ providers: { demo: demo() }, record: { enabled: false } }, notes);
    await post(koine, createRequest("anthropic", "demo/koine", false));
    expect(notes.calls).toEqual([]);
  });
});

test("record headers reach the recorder", async () => {
  const notes = new Notes();
  await using koine = await startGateway({ providers: { demo: demo() } }, notes);
  const { path, body } = createRequest("openai-responses", "demo/koine", false);
  const headers = { "x-koine-thread": "thread-7", "idempotency-key": "key-7", "user-agent": "judge/1" };
  await post(koine, { path, body: { ...body, previous_response_id: "resp_1" } }, headers);
  expect(notes.calls[0]).toMatchObject({
    thread: "thread-7",
    idempotencyKey: "key-7",
    previousResponse: "resp_1",
    referable: true,
    userAgent: "judge/1",
  });
});

test("a completed history is sent to the provider, without the reference that it replaces", async () => {
  await using upstream = await startUpstream("openai-responses", () => "Yes.");
  const notes = new Notes();
  notes.overrides = { isHistoryChanged: true, messages: [user("First."), assistant("Well."), user("Hello?")] };
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  const { path, body } = createRequest("openai-responses", `up/${upstream.model}`, false);
  const received = await post(koine, { path, body: { ...body, previous_response_id: "resp_1" } });
  expect(received.status).toBe(200);
  const sent = upstream.requests[0]?.body as { input: unknown[] };
  expect(sent.input).toHaveLength(3);
  expect(sent).not.toHaveProperty("previous_response_id");
});

test("an answer of another provider gets a Responses id", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  for (const stream of [false, true]) {
    const notes = new Notes();
    await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
    const client = new OpenAI({ baseURL: `${koine.url}/v1`, apiKey: "k", maxRetries: 0 });
    const request = { model: `up/${upstream.model}`, input: "?" };
    const received = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect([received.id, notes.answer?.responseId]).toEqual(["resp_run-1", "resp_run-1"]);
  }
});

test("B95: a repeated call is answered from the record, and no provider is called", async () => {
  await using upstream = await startUpstream("anthropic", () => "Not this.");
  const earlier: ModelResponse = {
    id: "msg_1",
    model: "m",
    message: { role: "assistant", parts: [text("Said before.")] },
    finishReason: { unified: "stop" },
  };
  const notes = new Notes();
  notes.overrides = { earlierAnswer: earlier };
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  for (const client of CLIENTS) {
    for (const stream of [false, true]) {
      const received = await post(koine, createRequest(client, `up/${upstream.model}`, stream));
      expect([received.status, received.text]).toEqual([200, expect.stringContaining("Said before.")]);
    }
  }
  expect(upstream.requests).toEqual([]);
  expect(notes.log).toEqual([]);
});

/** A model that emits one text per `go()`. */
function paced(): LocalProvider & { go(): void; signals: AbortSignal[] } {
  let gate = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  return {
    models: ["m"],
    signals,
    go() {
      gate.resolve();
      gate = Promise.withResolvers();
    },
    async *answer(_, { signal }) {
      signals.push(signal);
      yield { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
      yield { kind: "text", payload: { textDelta: "One", partKey: 0 } };
      await gate.promise;
      yield { kind: "text", payload: { textDelta: " two", partKey: 0 } };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
}

describe("B89: a client that disconnects", () => {
  async function leave(koine: { url: string }): Promise<void> {
    const leaving = new AbortController();
    const { path, body } = createRequest("openai-chat", "paced/m", true);
    const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
    await reply.body?.getReader().read();
    leaving.abort();
  }

  test("does not end a recorded run", async () => {
    const provider = paced();
    const notes = new Notes();
    await using koine = await startGateway({ providers: { paced: provider } }, notes);
    await leave(koine);
    provider.go();
    await notes.ended.promise;
    expect(notes.log).toContain("finish");
    expect(provider.signals[0]?.aborted).toBe(false);
  });

  test("ends an unrecorded call", async () => {
    const provider = paced();
    await using koine = await startGateway({ providers: { paced: provider }, record: { enabled: false } });
    await leave(koine);
    const [signal] = provider.signals;
    if (signal !== undefined && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    expect(signal?.aborted).toBe(true);
  });

  test("ends an unrecorded pass-through stream", async () => {
    const parts = [text("One "), text("two")];
    await using upstream = await startUpstream("openai-chat", () => ({ parts, stall: 400 }));
    await using koine = await startGateway({
      providers: { up: upstream.config },
      record: { enabled: false },
      // The head is sent before the first delta.
      heartbeatMs: 50,
    });
    const leaving = new AbortController();
    const { path, body } = createRequest("openai-chat", `up/${upstream.model}`, true);
    const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
    await reply.body?.getReader().read();
    leaving.abort();
    expect(await upstream.requests[0]?.ended).toBe("aborted");
  });
});

test("a cancelled run ends its upstream call, and the client receives an error", async () => {
  const provider = paced();
  const notes = new Notes();
  await using koine = await startGateway({ providers: { paced: provider } }, notes);
  const { path, body } = createRequest("anthropic", "paced/m", true);
  const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  notes.cancelling.abort(new Error("cancelled"));
  const received = await reply.text();
  expect(eventsOf(received).at(-1)).toMatchObject({ event: "error", data: expect.stringContaining("cancelled") });
  expect(provider.signals[0]?.aborted).toBe(true);
  expect(notes.log.at(-1)).toBe("fail");
});

describe("if the ledger cannot be written", () => {
  const unavailable = async (): Promise<never> => {
    throw new ServerError("unavailable", "The ledger is full.");
  };

  test.each([true, false])("a call whose thread cannot be found is refused, stream: %s", async (stream) => {
    const notes = new Notes();
    notes.open = unavailable;
    await using upstream = await startUpstream("anthropic", () => "Never sent.");
    await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
    const received = await post(koine, createRequest("openai-chat", `up/${upstream.model}`, stream));
    expect([received.status, received.text]).toEqual([503, expect.stringContaining("The ledger is full.")]);
    expect(upstream.requests).toEqual([]);
  });

  test("a stream whose run cannot be written is refused before its first byte", async () => {
    const notes = new Notes();
    notes.overrides = { ready: unavailable };
    await using koine = await startGateway({ providers: { demo: demo() } }, notes);
    const received = await post(koine, createRequest("openai-chat", "demo/koine", true));
    expect([received.status, received.text]).toEqual([503, expect.stringContaining("The ledger is full.")]);
    expect(notes.log).toContain("fail");
  });

  test("a whole answer that cannot be recorded is refused", async () => {
    const notes = new Notes();
    notes.overrides = { finish: unavailable };
    await using koine = await startGateway({ providers: { demo: demo() } }, notes);
    const received = await post(koine, createRequest("gemini", "demo/koine", false, "say Hello."));
    expect([received.status, received.text]).toEqual([503, expect.not.stringContaining("Hello.")]);
  });

  test.each(["openai-chat", "anthropic"] as const)(
    "a stream that cannot be recorded ends with a failure: %s",
    async (dialect) => {
      await using upstream = await startUpstream("anthropic", () => "One two.");
      const notes = new Notes();
      notes.overrides = { finish: unavailable };
      await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
      const received = await post(koine, createRequest(dialect, `up/${upstream.model}`, true));
      expect(eventsOf(received.text).at(-1)?.data).toContain("The ledger is full.");
      expect(received.text).not.toMatch(/\[DONE\]|message_stop/);
    },
  );
});

test("the partial answer of a failure is recorded", async () => {
  const error = { kind: "overloaded", message: "Too much." } as const;
  await using upstream = await startUpstream("anthropic", () => ({
    parts: [text("One"), text("two")],
    error,
    errorAfter: 1,
  }));
  for (const client of ["anthropic", "openai-chat"] as const) {
    const notes = new Notes();
    await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
    await post(koine, createRequest(client, `up/${upstream.model}`, true));
    expect(notes.log.slice(-2)).toEqual(["error", "fail"]);
    expect(notes.failure).toMatchObject({ kind: "overloaded", message: "Too much." });
  }
});

test("at the end of the shutdown time, open calls end, and the client receives an error", async () => {
  const provider = paced();
  const notes = new Notes();
  const koine = await startGateway({ providers: { paced: provider }, drainMs: 30 }, notes);
  const { path, body } = createRequest("openai-chat", "paced/m", true);
  const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  const closing = koine.close();
  expect(eventsOf(await reply.text()).at(-1)?.data).toContain("shutting down");
  await closing;
  expect(notes.log.at(-1)).toBe("fail");
});
