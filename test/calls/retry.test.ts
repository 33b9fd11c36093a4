// Retries: conditions, waits and counts, and none after an answer has begun.
import { describe, expect, test } from "vitest";
import type { ClientOptions, LocalProvider, RetryPolicy, Transport } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import { TransportError } from "../../src/calls/transport/transport-error.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { answer, delta } from "../support/deltas.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { clientAt, DIALECTS, providerAt, QUESTION, streamReply, wholeBody } from "./support/provider-fixtures.ts";

const NOW = Date.parse("2026-03-04T05:06:07Z");

/** A clock that advances only in waits, and the waits. */
function recordedWaits(random = 0.5): { waits: number[]; options: Pick<ClientOptions, "effects"> } {
  const waits: number[] = [];
  let now = NOW;
  const effects: ClientOptions["effects"] = {
    clock: () => now,
    random: () => random,
    sleep(ms) {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
  return { waits, options: { effects } };
}

/** Returns the wait between an error reply and the next attempt. */
async function waitAfter(reply: Reply, retry: Partial<RetryPolicy> = {}, random?: number): Promise<number[]> {
  const { waits, options } = recordedWaits(random);
  await using server = await replayServer({ "*": [reply, { body: wholeBody("gemini") }] });
  const result = await clientAt(server, "gemini", { ...options, retry }).complete(QUESTION);
  expect(result.attempts.map(({ waitedMs }) => waitedMs)).toStrictEqual([0, ...waits]);
  return waits;
}

describe("the wait", () => {
  const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "4.5s" };
  const body = { error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED", details: [retryInfo] } };
  const RETRY_HINTS: [title: string, reply: Reply, waitMs: number][] = [
    ["seconds", { headers: { "retry-after": "7" } }, 7000],
    ["parts of a second", { headers: { "retry-after": "0.25" } }, 250],
    ["a date", { headers: { "retry-after": "Wed, 04 Mar 2026 05:06:27 GMT" } }, 20_000],
    ["milliseconds", { headers: { "retry-after-ms": "1234" } }, 1234],
    ["milliseconds and seconds", { headers: { "retry-after-ms": "1234", "retry-after": "2" } }, 1234],
    ["Gemini's RetryInfo", { body }, 4500],
    ["Gemini's RetryInfo and a header", { body, headers: { "retry-after": "3" } }, 3000],
    ["a sentence", { body: { error: { message: "Please try again in 1.5s." } } }, 1500],
  ];
  test.each(RETRY_HINTS)("is given by the provider in %s", async (_, reply, waitMs) => {
    expect(await waitAfter({ status: 429, ...reply }, {}, 0)).toStrictEqual([waitMs]);
  });

  test("is as long as the provider requests, plus up to a quarter at random", async () => {
    const reply: Reply = { status: 429, headers: { "retry-after": "8" } };
    expect(await waitAfter(reply, {}, 0.5)).toStrictEqual([9000]);
    expect(await waitAfter(reply, {}, 0.999)).toStrictEqual([9998]);
    expect(await waitAfter(reply, { maxMs: 100 }, 0.999)).toStrictEqual([8100]);
  });

  const INVALID_HINTS: [title: string, headers: Record<string, string>][] = [
    ["no header", {}],
    ["no number", { "retry-after": "soon" }],
    ["zero", { "retry-after": "0" }],
    ["a date that has passed", { "retry-after": "Wed, 04 Mar 2026 05:06:01 GMT" }],
    ["a negative number", { "retry-after": "-5" }],
  ];
  test.each(INVALID_HINTS)("is Koine's own if the retry header has %s", async (_, headers) => {
    expect(await waitAfter({ status: 503, headers })).toStrictEqual([500]);
  });

  test("doubles up to a limit, plus or minus a random quarter", async () => {
    const waitsWith = async (random: number): Promise<number[]> => {
      const { waits, options } = recordedWaits(random);
      await using server = await replayServer({ "*": { status: 500 } });
      const retry = { attempts: 6, baseMs: 100, maxMs: 900 };
      await errorOf(clientAt(server, "openai-chat", { ...options, retry }).complete(QUESTION));
      return waits;
    };
    expect(await waitsWith(0.5)).toStrictEqual([100, 200, 400, 800, 900]);
    expect(await waitsWith(0)).toStrictEqual([75, 150, 300, 600, 900]);
    expect(await waitsWith(0.998)).toStrictEqual([125, 250, 500, 900, 900]);
  });

  test("that the provider requests beyond the limit fails the call, and the error states it", async () => {
    const { waits, options } = recordedWaits();
    await using server = await replayServer({ "*": { status: 429, headers: { "retry-after": "61" } } });
    const error = await errorOf(clientAt(server, "openai-chat", options).complete(QUESTION));
    expect(error).toMatchObject({ code: "rate-limit", retryAfterMs: 61_000 });
    expect(error.message).toContain("61000 ms");
    expect(error.message).toContain("retryAfterCapMs");
    expect(waits).toStrictEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test("that would outlast the call is not started, and the provider's error is thrown", async () => {
    await using server = await replayServer({ "*": { status: 429, headers: { "retry-after": "30" } } });
    const error = await errorOf(clientAt(server).complete(QUESTION, { timeouts: { totalMs: 5000 } }));
    expect(error.code).toBe("rate-limit");
    expect(error.message).toContain("timeouts.totalMs");
    expect(server.requests).toHaveLength(1);
  });
});

describe("the number of attempts", () => {
  const TRIES: [title: string, reply: Reply, retry: Partial<RetryPolicy>, attempts: number][] = [
    ["three times", { status: 500 }, {}, 3],
    ["the number in the policy", { status: 500 }, { attempts: 5 }, 5],
    ["once if the policy allows one attempt", { status: 500 }, { attempts: 1 }, 1],
    ["once if the request is invalid", { status: 400 }, {}, 1],
    ["once if the provider forbids a retry", { status: 500, headers: { "x-should-retry": "false" } }, {}, 1],
    ["again if the provider requests a retry", { status: 400, headers: { "x-should-retry": "true" } }, {}, 3],
    ["again after a conflict", { status: 409 }, {}, 3],
    ["again after a connection that broke before the headers", { reset: "headers" }, {}, 3],
    ["again after a connection that broke in the body", { body: wholeBody("openai-chat"), reset: 20 }, {}, 3],
    ["again after a truncated body", { body: '{"id":"x","choices":[' }, {}, 3],
  ];
  test.each(TRIES)("a provider is called %s", async (_, reply, retry, attempts) => {
    const { options } = recordedWaits();
    await using server = await replayServer({ "*": reply });
    const error = await errorOf(clientAt(server, "openai-chat", { ...options, retry }).complete(QUESTION));
    expect(error.attempts).toHaveLength(attempts);
    expect(server.requests).toHaveLength(attempts);
  });

  test("a stream is retried like a complete answer", async () => {
    const { waits, options } = recordedWaits();
    await using server = await replayServer({ "*": [{ status: 529 }, { reset: "headers" }, streamReply("anthropic")] });
    const stream = clientAt(server, "anthropic", { ...options, retry: {} }).stream(QUESTION);
    expect((await readAll(stream)).error).toBeUndefined();
    const { attempts } = await stream.response();
    expect(attempts.map((attempt) => attempt.error?.kind)).toStrictEqual(["overloaded", "network", undefined]);
    expect(waits).toStrictEqual([500, 1000]);
  });

  test("the policy of the call wins over the provider's, and that over the client's", async () => {
    let callCount = 0;
    const here: LocalProvider = {
      answer() {
        callCount += 1;
        return [delta("start", { modelId: "m", requestId: "" }), delta("error", { errorCode: "server" })];
      },
      retry: { attempts: 4 },
    };
    const client = createClient({ providers: { here }, retry: { attempts: 2, baseMs: 0 } });
    await errorOf(client.complete({ model: "m", messages: [] }));
    expect(callCount).toBe(4);
    await errorOf(client.complete({ model: "m", messages: [] }, { retry: { attempts: 1 } }));
    expect(callCount).toBe(5);
  });
});

test.each(DIALECTS)("%s: every attempt sends the same bytes and fetches its key again", async (id) => {
  const { options } = recordedWaits();
  await using server = await replayServer({ "*": [{ status: 500 }, { status: 500 }, { body: wholeBody(id) }] });
  let keys = 0;
  const apiKey = (): Promise<string> => Promise.resolve(`a-fresh-key-${(keys += 1)}`);
  const client = createClient({ providers: { there: { ...providerAt(server, id), apiKey } }, ...options });
  await client.complete(QUESTION);
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  expect(new Set(bodies).size).toBe(1);
  expect(server.requests.map(({ headers }) => /a-fresh-key-\d/.exec(JSON.stringify(headers))?.[0])).toStrictEqual([
    "a-fresh-key-1",
    "a-fresh-key-2",
    "a-fresh-key-3",
  ]);
});

test("an answer that fails after its first delta is not retried", async () => {
  let callCount = 0;
  const here: LocalProvider = {
    *answer() {
      callCount += 1;
      yield* answer(delta("text", { textDelta: "Down " })).slice(0, -1);
      yield delta("error", { errorCode: "server" });
    },
  };
  const { deltas, error } = await readAll(createClient({ providers: { here } }).stream({ model: "m", messages: [] }));
  expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "error"]);
  expect(error?.partial?.message.parts).toStrictEqual([{ type: "text", text: "Down " }]);
  expect(callCount).toBe(1);
});

test("an error that a transport marks as not retryable is not retried", async () => {
  let sent = 0;
  const transport: Transport = {
    send() {
      sent += 1;
      return Promise.reject(new TransportError("network", "An untrusted host", { stage: "connect", retryable: false }));
    },
    close: () => Promise.resolve(),
  };
  const error = await errorOf(clientAt({ url: "http://127.0.0.1:9" }, "openai-chat", { transport }).complete(QUESTION));
  expect(error).toMatchObject({ code: "network", error: { retryable: false } });
  expect(sent).toBe(1);
});

const FULL = new Error("the log is full");
test.each<[how: string, onAttempt: () => void]>([
  [
    "throws",
    () => {
      throw FULL;
    },
  ],
  ["rejects", () => Promise.reject(FULL)],
])("a listener that %s does not change the call", async (_, onAttempt) => {
  const here: LocalProvider = { answer: () => answer(delta("text", { textDelta: "a" })) };
  const client = createClient({ providers: { here }, onAttempt });
  const whole = await client.complete({ model: "m", messages: [] });
  expect(whole.attempts).toHaveLength(1);
  const { deltas, error } = await readAll(client.stream({ model: "m", messages: [] }));
  expect(error).toBeUndefined();
  expect(deltas.at(-1)?.kind).toBe("done");
});

test("a key that cannot be fetched is not an attempt", async () => {
  await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
  const apiKey = (): Promise<string> => Promise.reject(new Error("the vault is closed"));
  const client = createClient({ providers: { there: { ...providerAt(server, "openai-chat"), apiKey } } });
  const error = await errorOf(client.complete(QUESTION));
  expect(error).toMatchObject({ code: "configuration", path: "/providers/there/apiKey", provider: "there" });
  expect(server.requests).toHaveLength(0);
});
