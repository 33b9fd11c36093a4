// Fallbacks: when the next model is called, and when none is.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ClientOptions, LocalProvider } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import { computeTimeShare } from "../../src/calls/retry-policy.ts";
import type { ProviderErrorKind, ModelRequest } from "../../src/index.ts";
import { PROVIDER_ERROR_KINDS, user } from "../../src/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { answer, delta } from "../support/deltas.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { providerAt, wholeBody } from "./support/provider-fixtures.ts";

const ASK: ModelRequest = { model: "first/a", messages: [user("Which way?")] };

/** A provider that never answers. */
const SILENT: LocalProvider = {
  answer: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
};

/** Providers that fail in one way or answer with their name, with a count of their calls. */
function threeProviders(fail: Partial<Record<string, ProviderErrorKind>>): {
  client: (options?: Partial<ClientOptions>) => ReturnType<typeof createClient>;
  calledModels: string[];
} {
  const calledModels: string[] = [];
  const provider = (name: string): LocalProvider => ({
    *answer({ model }) {
      calledModels.push(`${name}/${model}`);
      const errorCode = fail[name];
      yield delta("start", { modelId: model ?? "", requestId: "" });
      if (errorCode !== undefined) yield delta("error", { errorCode, message: `${name} cannot.` });
      yield delta("text", { textDelta: name });
      yield delta("done", { finishReason: "stop" });
    },
  });
  const providers = { first: provider("first"), second: provider("second"), third: provider("third") };
  const client = (options: Partial<ClientOptions> = {}) =>
    createClient({ providers, retry: { baseMs: 0, attempts: 2 }, fallbacks: ["second/b", "third/c/d"], ...options });
  return { client, calledModels: calledModels };
}

const ELSEWHERE = PROVIDER_ERROR_KINDS.filter((kind) => kind !== "invalid-request");
test.each(ELSEWHERE)("the next model is called if the first one fails with %s", async (kind) => {
  const { client } = threeProviders({ first: kind });
  const result = await client().complete(ASK);
  expect(result.provider).toBe("second");
  expect(result.message.metadata).toMatchObject({ provider: "second", model: "b" });
  expect(result.attempts.at(0)).toMatchObject({ provider: "first", model: "a", error: { kind } });
  expect(result.attempts.at(-1)).toMatchObject({ provider: "second", model: "b" });
  expect(result.attempts.at(-1)).not.toHaveProperty("error");
});

test("models are called in order, each as often as its policy allows; the last error is thrown", async () => {
  const { client, calledModels } = threeProviders({ first: "overloaded", second: "authentication", third: "server" });
  const error = await errorOf(client().complete(ASK));
  expect(calledModels).toStrictEqual(["first/a", "first/a", "second/b", "third/c/d", "third/c/d"]);
  expect(error).toMatchObject({ code: "server", provider: "third", model: "c/d" });
  expect(error.attempts.map(({ provider }) => provider)).toStrictEqual(["first", "first", "second", "third", "third"]);
  expect(error.message).toContain("third cannot.");
  expect(error.message).toContain(
    " Earlier in this call, first/a failed: overloaded; second/b failed: authentication.",
  );
});

test("the fallbacks of a call replace the fallbacks of the client", async () => {
  const { client, calledModels } = threeProviders({ first: "quota" });
  expect((await client().complete(ASK, { fallbacks: ["third/x"] })).provider).toBe("third");
  expect((await errorOf(client().complete(ASK, { fallbacks: [] }))).code).toBe("quota");
  expect(calledModels).toStrictEqual(["first/a", "third/x", "first/a"]);
});

test("the provider of a call applies to its model and not to its fallbacks", async () => {
  const { client } = threeProviders({ second: "quota" });
  const result = await client().complete(
    { ...ASK, model: "any/thing" },
    { provider: "second", fallbacks: ["first/a"] },
  );
  expect(result.attempts.map(({ provider, model }) => [provider, model])).toStrictEqual([
    ["second", "any/thing"],
    ["first", "a"],
  ]);
});

test("a stream falls back until the first delta", async () => {
  const { client } = threeProviders({ first: "server" });
  const stream = client().stream(ASK);
  const { deltas } = await readAll(stream);
  expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "done"]);
  expect((await stream.response()).provider).toBe("second");
});

test("a fallback with an unknown provider is rejected before any request", async () => {
  const { client, calledModels } = threeProviders({});
  const error = await errorOf(client().complete(ASK, { fallbacks: ["second/b", "unknown/x"] }));
  expect(error).toMatchObject({ code: "unknown-provider", path: "/fallbacks/1" });
  expect(error.message).toContain("third");
  expect(calledModels).toStrictEqual([]);
});

describe("no fallback is called", () => {
  test("if the request is invalid", async () => {
    const { client, calledModels } = threeProviders({ first: "invalid-request" });
    expect(await errorOf(client().complete(ASK))).toMatchObject({ code: "invalid-request", provider: "first" });
    expect(calledModels).toStrictEqual(["first/a"]);
  });

  test.each([
    [400, 0],
    [422, 0],
    [405, 1],
    [415, 1],
  ])("if status %i makes a retry useless; after other statuses: %i more calls", async (status, others) => {
    await using server = await replayServer({ "*": { status, body: { error: { message: "No." } } } });
    let callCount = 0;
    const second: LocalProvider = { answer: () => ((callCount += 1), answer()) };
    const providers = { first: providerAt(server, "anthropic"), second };
    const client = createClient({ providers, fallbacks: ["second/b"] });
    await client.complete(ASK).catch(() => undefined);
    expect(callCount).toBe(others);
  });

  test("after the first delta", async () => {
    let others = 0;
    const first: LocalProvider = {
      answer: () => [
        ...answer(delta("text", { textDelta: "Le" })).slice(0, -1),
        delta("error", { errorCode: "server" }),
      ],
    };
    const second: LocalProvider = { answer: () => ((others += 1), answer()) };
    const client = createClient({ providers: { first, second }, fallbacks: ["second/b"] });
    expect((await readAll(client.stream(ASK))).error).toMatchObject({ code: "server", provider: "first" });
    expect(others).toBe(0);
  });

  test("after the caller aborted", async () => {
    const { client, calledModels } = threeProviders({ first: "server" });
    const controller = new AbortController();
    const call = client({ onAttempt: () => controller.abort() }).complete(ASK, { signal: controller.signal });
    expect((await errorOf(call)).code).toBe("aborted");
    expect(calledModels).toStrictEqual(["first/a"]);
  });

  test("after the time limit of the call", async () => {
    let now = 0;
    let others = 0;
    const first: LocalProvider = {
      // The provider never answers, and its share is all of the remaining time.
      answer: () => ((now += 20), SILENT.answer({ messages: [] }, { signal: new AbortController().signal })),
    };
    const second: LocalProvider = { answer: () => ((others += 1), answer()) };
    const client = createClient({
      providers: { first, second },
      fallbacks: ["second/b"],
      timeouts: { totalMs: 20 },
      effects: { clock: () => now },
    });
    expect(await errorOf(client.complete(ASK))).toMatchObject({ code: "timeout", provider: "first" });
    expect(others).toBe(0);
  });
});

describe("with the default limits, a provider that never replies does not use the time of its fallbacks", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const silent = { first: SILENT, second: SILENT, third: { answer: () => answer() } };
  const MINUTE = 60_000;
  // The client's clock is not the faked one.
  const effects = { clock: () => Date.now() };

  test.each<[how: "complete" | "stream", fallbacks: string[], minutes: number[]]>([
    ["complete", ["third/c"], [5]],
    ["stream", ["third/c"], [5]],
    // A third of ten minutes, then half of the rest.
    ["complete", ["second/b", "third/c"], [10 / 3, 10 / 3]],
    ["stream", ["second/b", "third/c"], [10 / 3, 10 / 3]],
  ])("%s, with the fallbacks %j", async (how, fallbacks, minutes) => {
    const client = createClient({ providers: silent, fallbacks, effects });
    const pending = how === "complete" ? client.complete(ASK) : client.stream(ASK).response();
    await vi.advanceTimersByTimeAsync(10 * MINUTE - 1);
    const { provider, attempts } = await pending;
    expect(provider).toBe("third");
    const durations = attempts.slice(0, -1).map(({ durationMs }) => durationMs);
    expect(durations).toStrictEqual(minutes.map((each) => Math.round(each * MINUTE)));
  });

  test("a late reply is not retried if there is a fallback", async () => {
    const client = createClient({ providers: { ...silent, third: SILENT }, timeouts: { totalMs: Infinity }, effects });
    const stream = client.stream(ASK, { fallbacks: ["third/c"] });
    const failed = errorOf(stream.response());
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    const { attempts } = await failed;
    // Only the last provider is called as often as its policy allows.
    expect(attempts.map(({ provider }) => provider)).toStrictEqual(["first", "third", "third", "third"]);
  });

  test("a stream that has started may use all of the remaining time", async () => {
    const first: LocalProvider = {
      async *answer() {
        const deltas = answer(delta("text", { textDelta: "Le" }), delta("text", { textDelta: "ft" }));
        for (const each of deltas) {
          yield each;
          await new Promise((resolve) => setTimeout(resolve, 2 * MINUTE));
        }
      },
    };
    const client = createClient({ providers: { ...silent, first }, timeouts: { gapMs: Infinity }, effects });
    const pending = client.stream(ASK, { fallbacks: ["third/c"] }).response();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    const { provider, attempts } = await pending;
    expect(provider).toBe("first");
    expect(attempts).toHaveLength(1);
  });

  test("a complete answer may start later than a stream; a configured limit applies", async () => {
    const slow: LocalProvider = {
      async *answer() {
        await new Promise((resolve) => setTimeout(resolve, 8 * MINUTE));
        yield* answer();
      },
    };
    const client = createClient({ providers: { first: slow }, effects });
    const whole = client.complete(ASK);
    const limited = errorOf(client.complete(ASK, { timeouts: { replyMs: MINUTE }, retry: { attempts: 1 } }));
    const streamed = errorOf(client.stream(ASK, { retry: { attempts: 1 } }).response());
    await vi.advanceTimersByTimeAsync(9 * MINUTE);
    expect((await whole).attempts).toHaveLength(1);
    expect((await limited).message).toContain("after 60000 ms (timeouts.replyMs)");
    expect((await streamed).message).toContain("after 300000 ms (timeouts.replyMs)");
  });
});

test("a provider's own limit that leaves time for fallbacks is the only limit", () => {
  expect(computeTimeShare(1000, 2, 900)).toBe(Infinity);
  expect(computeTimeShare(1000, 2, 1000)).toBe(500);
  expect(computeTimeShare(1000, 1, Infinity)).toBe(Infinity);
});

test("a provider that does not support the request is skipped, and the attempt is recorded", async () => {
  await using server = await replayServer({ "*": { body: wholeBody("openai-responses") } });
  const providers = { first: providerAt(server, "anthropic"), second: providerAt(server, "openai-responses") };
  const client = createClient({ providers, fallbacks: ["second/b"] });
  const request: ModelRequest = { ...ASK, extra: { "openai-responses": { previous_response_id: "resp_1" } } };
  const result = await client.complete(request);
  expect(result.provider).toBe("second");
  expect(result.attempts).toMatchObject([
    { provider: "first", model: "a", error: { kind: "invalid-request" } },
    { provider: "second", status: 200 },
  ]);
  expect(server.requests.map(({ path }) => path)).toStrictEqual(["/v1/responses"]);
});
