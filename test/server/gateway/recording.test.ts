// The gateway and its recorder: what is recorded and when, what a client's leaving does (B89), and what happens where
// nothing can be written.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { ProviderError, Response } from "../../../src/index.ts";
import { assistant, text, user } from "../../../src/index.ts";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import { ServerError } from "../../../src/server/errors.ts";
import type { RecordedAnswer, RecordedCall, Recorder, Recording } from "../../../src/server/record/types.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { CLIENTS, eventsOf, post, question, startGateway } from "./support.ts";

/** Remembers what it is told; its waits are what the test makes of them. */
class Notes implements Recorder {
  readonly calls: RecordedCall[] = [];
  readonly log: string[] = [];
  answer: RecordedAnswer | undefined;
  failure: ProviderError | undefined;
  readonly cancelling = new AbortController();
  readonly ended = Promise.withResolvers<void>();
  given: Partial<Recording> = {};

  async open(call: RecordedCall): Promise<Recording> {
    this.calls.push(call);
    const { messages } = call.request;
    return {
      threadId: "thread-1",
      runId: "run-1",
      messages,
      changed: false,
      earlier: undefined,
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
      ...this.given,
    };
  }
  async cancel(): Promise<boolean> {
    return false;
  }
  async reveal(): Promise<void> {}
  async close(): Promise<void> {}
}

test.each(CLIENTS)("%s: a stream is begun, made ready before its first byte, pushed and finished", async (client) => {
  await using upstream = await startUpstream("anthropic", () => "One two.");
  const notes = new Notes();
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  const heard = await post(koine, question(client, `up/${upstream.model}`, true));
  expect(heard.headers.get("x-koine-thread")).toBe("thread-1");
  expect(heard.headers.get("x-koine-run")).toBe("run-1");
  const said = notes.log.filter((kind) => kind !== "usage");
  expect(said.slice(0, 4)).toEqual([`begin up ${upstream.model}`, "ready", "start", "text"]);
  expect(said.slice(-2)).toEqual(["done", "finish"]);
  expect(notes.answer).toMatchObject({ provider: "up", model: upstream.model, attempts: [{ status: 200 }] });
  expect(notes.calls[0]).toMatchObject({ dialect: client, caller: { tenant: "default", scope: "local" } });
});

test.each(CLIENTS)("%s: a whole answer is finished once, with all of it", async (client) => {
  await using upstream = await startUpstream("anthropic", () => "One two.");
  const notes = new Notes();
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  const heard = await post(koine, question(client, `up/${upstream.model}`, false));
  expect(heard.status).toBe(200);
  expect(notes.log).toEqual(["finish"]);
  expect(notes.answer?.response?.message).toMatchObject({
    role: "assistant",
    parts: [{ type: "text", text: "One two." }],
  });
  expect(heard.headers.get("x-koine-run")).toBe("run-1");
});

test.each([true, false])("the end of an answer waits for its record, stream: %s", async (stream) => {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const notes = new Notes();
  notes.given = {
    async finish() {
      asked.resolve();
      await gate.promise;
      notes.log.push("durable");
    },
  };
  await using koine = await startGateway({ providers: { demo: demo() } }, notes);
  const { path, body } = question("openai-chat", "demo/koine", stream, "say One two.");
  const reply = fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  await asked.promise;
  const ended = reply
    .then((each) => each.text())
    .then((all) => {
      notes.log.push("heard");
      return all;
    });
  gate.resolve();
  expect(await ended).toContain("two");
  expect(notes.log.slice(-2)).toEqual(["durable", "heard"]);
});

describe("recording can be left out", () => {
  test.each<[sentence: string, headers: Record<string, string>, more: object, isRecorded: boolean]>([
    ["nobody says anything", {}, {}, true],
    ["the header says off", { "x-koine-record": "off" }, {}, false],
    ["the request is not to be stored", {}, { store: false }, false],
    ["the header says on, whatever the request says", { "x-koine-record": "on" }, { store: false }, true],
  ])("%s", async (_, headers, more, isRecorded) => {
    for (const client of ["openai-chat", "openai-responses"] as const) {
      const notes = new Notes();
      await using koine = await startGateway({ providers: { demo: demo() } }, notes);
      const { path, body } = question(client, "demo/koine", false);
      const heard = await post(koine, { path, body: { ...body, ...more } }, headers);
      expect([heard.status, notes.calls.length]).toEqual([200, isRecorded ? 1 : 0]);
      expect(heard.headers.get("x-koine-thread")).toBe(isRecorded ? "thread-1" : null);
    }
  });

  test("the configuration says no", async () => {
    const notes = new Notes();
    await using koine = await startGateway({ providers: { demo: demo() }, record: { enabled: false } }, notes);
    await post(koine, question("anthropic", "demo/koine", false));
    expect(notes.calls).toEqual([]);
  });
});

test("what the client says of its record reaches the recorder", async () => {
  const notes = new Notes();
  await using koine = await startGateway({ providers: { demo: demo() } }, notes);
  const { path, body } = question("openai-responses", "demo/koine", false);
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

test("a history that the recorder completes is what the provider is asked, without what it stands for", async () => {
  await using upstream = await startUpstream("openai-responses", () => "Yes.");
  const notes = new Notes();
  notes.given = { changed: true, messages: [user("First."), assistant("Well."), user("Hello?")] };
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  const { path, body } = question("openai-responses", `up/${upstream.model}`, false);
  const heard = await post(koine, { path, body: { ...body, previous_response_id: "resp_1" } });
  expect(heard.status).toBe(200);
  const sent = upstream.requests[0]?.body as { input: unknown[] };
  expect(sent.input).toHaveLength(3);
  expect(sent).not.toHaveProperty("previous_response_id");
});

test("a Responses client knows the answer of another provider by an id of its own", async () => {
  await using upstream = await startUpstream("anthropic", () => "Yes.");
  for (const stream of [false, true]) {
    const notes = new Notes();
    await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
    const client = new OpenAI({ baseURL: `${koine.url}/v1`, apiKey: "k", maxRetries: 0 });
    const request = { model: `up/${upstream.model}`, input: "?" };
    const heard = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect([heard.id, notes.answer?.responseId]).toEqual(["resp_run-1", "resp_run-1"]);
  }
});

test("B95: a call that was answered before is answered from the record, and nothing is asked", async () => {
  await using upstream = await startUpstream("anthropic", () => "Not this.");
  const earlier: Response = {
    id: "msg_1",
    model: "m",
    message: { role: "assistant", parts: [text("Said before.")] },
    finishReason: { unified: "stop" },
  };
  const notes = new Notes();
  notes.given = { earlier };
  await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
  for (const client of CLIENTS) {
    for (const stream of [false, true]) {
      const heard = await post(koine, question(client, `up/${upstream.model}`, stream));
      expect([heard.status, heard.text]).toEqual([200, expect.stringContaining("Said before.")]);
    }
  }
  expect(upstream.requests).toEqual([]);
  expect(notes.log).toEqual([]);
});

/** Says a word each time it is let. */
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
      yield { kind: "text", payload: { textDelta: "One", part: 0 } };
      await gate.promise;
      yield { kind: "text", payload: { textDelta: " two", part: 0 } };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
}

describe("B89: a client that leaves", () => {
  async function leave(koine: { url: string }): Promise<void> {
    const leaving = new AbortController();
    const { path, body } = question("openai-chat", "paced/m", true);
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

  test("ends a call that nobody records", async () => {
    const provider = paced();
    await using koine = await startGateway({ providers: { paced: provider }, record: { enabled: false } });
    await leave(koine);
    const [signal] = provider.signals;
    if (signal !== undefined && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    expect(signal?.aborted).toBe(true);
  });

  test("ends an upstream's stream that is handed on unread", async () => {
    const parts = [text("One "), text("two")];
    await using upstream = await startUpstream("openai-chat", () => ({ parts, stall: 400 }));
    await using koine = await startGateway({
      providers: { up: upstream.config },
      record: { enabled: false },
      // The head goes out before a word has come.
      heartbeatMs: 50,
    });
    const leaving = new AbortController();
    const { path, body } = question("openai-chat", `up/${upstream.model}`, true);
    const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
    await reply.body?.getReader().read();
    leaving.abort();
    expect(await upstream.requests[0]?.ended).toBe("aborted");
  });
});

test("a run that is cancelled ends its upstream call, and the client is told", async () => {
  const provider = paced();
  const notes = new Notes();
  await using koine = await startGateway({ providers: { paced: provider } }, notes);
  const { path, body } = question("anthropic", "paced/m", true);
  const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  notes.cancelling.abort(new Error("cancelled"));
  const heard = await reply.text();
  expect(eventsOf(heard).at(-1)).toMatchObject({ event: "error", data: expect.stringContaining("cancelled") });
  expect(provider.signals[0]?.aborted).toBe(true);
  expect(notes.log.at(-1)).toBe("fail");
});

describe("where nothing can be written", () => {
  const unavailable = async (): Promise<never> => {
    throw new ServerError("unavailable", "The ledger is full.");
  };

  test.each([true, false])("a call that cannot be recognised is refused, stream: %s", async (stream) => {
    const notes = new Notes();
    notes.open = unavailable;
    await using upstream = await startUpstream("anthropic", () => "Never said.");
    await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
    const heard = await post(koine, question("openai-chat", `up/${upstream.model}`, stream));
    expect([heard.status, heard.text]).toEqual([503, expect.stringContaining("The ledger is full.")]);
    expect(upstream.requests).toEqual([]);
  });

  test("a stream that cannot begin is refused before its first byte", async () => {
    const notes = new Notes();
    notes.given = { ready: unavailable };
    await using koine = await startGateway({ providers: { demo: demo() } }, notes);
    const heard = await post(koine, question("openai-chat", "demo/koine", true));
    expect([heard.status, heard.text]).toEqual([503, expect.stringContaining("The ledger is full.")]);
    expect(notes.log).toContain("fail");
  });

  test("a whole answer that cannot be kept is refused", async () => {
    const notes = new Notes();
    notes.given = { finish: unavailable };
    await using koine = await startGateway({ providers: { demo: demo() } }, notes);
    const heard = await post(koine, question("gemini", "demo/koine", false, "say Hello."));
    expect([heard.status, heard.text]).toEqual([503, expect.not.stringContaining("Hello.")]);
  });

  test.each(["openai-chat", "anthropic"] as const)(
    "a stream that cannot be kept ends in a failure: %s",
    async (dialect) => {
      await using upstream = await startUpstream("anthropic", () => "One two.");
      const notes = new Notes();
      notes.given = { finish: unavailable };
      await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
      const heard = await post(koine, question(dialect, `up/${upstream.model}`, true));
      expect(eventsOf(heard.text).at(-1)?.data).toContain("The ledger is full.");
      expect(heard.text).not.toMatch(/\[DONE\]|message_stop/);
    },
  );
});

test("an answer that fails in the middle is kept as far as it came", async () => {
  const error = { kind: "overloaded", message: "Too much." } as const;
  await using upstream = await startUpstream("anthropic", () => ({
    parts: [text("One"), text("two")],
    error,
    errorAfter: 1,
  }));
  for (const client of ["anthropic", "openai-chat"] as const) {
    const notes = new Notes();
    await using koine = await startGateway({ providers: { up: upstream.config } }, notes);
    await post(koine, question(client, `up/${upstream.model}`, true));
    expect(notes.log.slice(-2)).toEqual(["error", "fail"]);
    expect(notes.failure).toMatchObject({ kind: "overloaded", message: "Too much." });
  }
});

test("a shutdown whose time is over ends what is under way, and the client is told", async () => {
  const provider = paced();
  const notes = new Notes();
  const koine = await startGateway({ providers: { paced: provider }, drainMs: 30 }, notes);
  const { path, body } = question("openai-chat", "paced/m", true);
  const reply = await fetch(koine.url + path, { method: "POST", body: JSON.stringify(body) });
  const closing = koine.close();
  expect(eventsOf(await reply.text()).at(-1)?.data).toContain("shutting down");
  await closing;
  expect(notes.log.at(-1)).toBe("fail");
});
