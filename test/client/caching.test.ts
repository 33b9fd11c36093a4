// Caching: which answers are reused, and which calls are equal.
import { describe, expect, test } from "vitest";
import type { Delta, ModelRequest } from "koine";
import { parseJson, user } from "koine";
import type { Answer, AnswerStream, CallOptions, LocalProvider } from "koine/client";
import { boundedStore, caching, callKey, createClient } from "koine/client";
import type { Mode } from "./support/counting-provider.ts";
import { counting, setup } from "./support/counting-provider.ts";

describe("caching", () => {
  test.each<[string, Mode, Mode]>([
    ["a complete answer is reused", "complete", "complete"],
    ["a complete answer is reused as a stream", "complete", "stream"],
    ["a streamed answer is reused", "stream", "complete"],
    ["a streamed answer is reused as a stream", "stream", "stream"],
  ])("%s", async (_, first, second) => {
    const { ask, provider } = setup([caching()]);
    expect(await ask("Hello", first)).toBe("answer 1");
    expect(await ask("Hello", second)).toBe("answer 1");
    expect(await ask("Hello?", second)).toBe("answer 2");
    expect(provider.callCount).toBe(2);
  });

  test("an answer from the cache reports no attempt and is otherwise equal", async () => {
    const { client } = setup([caching()]);
    const request: ModelRequest = { model: "m", messages: [user("Hello")] };
    const first = await client.complete(request);
    const second = await client.complete(request);
    expect(first.attempts).toHaveLength(1);
    expect(second).toStrictEqual({ ...first, attempts: [] });
    expect(await client.stream(request).response()).toStrictEqual(second);
  });

  test("a change that one caller makes to an answer is invisible to other callers", async () => {
    const { client, ask } = setup([caching()]);
    for (let time = 0; time < 2; time++) {
      const { message } = await client.complete({ model: "m", messages: [user("Hello")] });
      message.parts.length = 0;
    }
    expect(await ask("Hello")).toBe("answer 1");
  });

  test("errors are never cached", async () => {
    const { ask, provider } = setup([caching()]);
    await expect(ask("break")).rejects.toMatchObject({ code: "overloaded" });
    const before = provider.callCount;
    await expect(ask("break", "stream")).rejects.toMatchObject({ code: "overloaded" });
    expect(provider.callCount).toBeGreaterThan(before);
  });

  test("a stream that its reader leaves early is not cached; one left at its end is cached", async () => {
    const { client, ask, provider } = setup([caching()]);
    const readUntil = async (last: Delta["kind"]): Promise<void> => {
      for await (const { kind } of client.stream({ model: "m", messages: [user("Hello")] })) if (kind === last) break;
    };
    await readUntil("text");
    await readUntil("done");
    expect(provider.callCount).toBe(2);
    expect(await ask("Hello")).toBe("answer 2");
    expect(provider.callCount).toBe(2);
  });

  test('an aborted call fails with "aborted" even if the cache has its answer', async () => {
    const { ask } = setup([caching()]);
    await ask("Hello");
    for (const mode of ["complete", "stream"] as const) {
      await expect(ask("Hello", mode, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    }
  });

  test("the option key decides which calls are equal and which are not cached", async () => {
    const byUser = caching({ key: ({ options }) => options.metadata?.["user"]?.toString() });
    const { ask } = setup([byUser]);
    expect(await ask("Hello", "complete", { metadata: { user: "ada" } })).toBe("answer 1");
    expect(await ask("Anything", "complete", { metadata: { user: "ada" } })).toBe("answer 1");
    expect(await ask("Hello")).toBe("answer 2");
    expect(await ask("Hello", "stream")).toBe("answer 3");
  });

  test.each<[string, unknown]>([
    ["a promise", Promise.resolve("x")],
    ["a number", 5],
    ["null", null],
  ])("a key that is %s is rejected because all requests would share it", async (_, key) => {
    const { ask, provider } = setup([caching({ key: () => key as string })]);
    for (const mode of ["complete", "stream"] as const) {
      await expect(ask("Hello", mode)).rejects.toMatchObject({ code: "configuration", path: "/key" });
    }
    expect(provider.callCount).toBe(0);
  });

  test.each(["complete", "stream"] as const)("%s: an answer of a fallback target is not cached", async (mode) => {
    let isDown = true;
    const near = counting();
    const far = counting();
    const down: LocalProvider = {
      retry: { attempts: 1 },
      answer: (...args) => (isDown ? [...REFUSED] : near.answer(...args)),
    };
    const middleware = [caching()];
    const client = createClient({ providers: { near: down, far }, fallbacks: ["far/m"], middleware });
    const callModel = async (): Promise<Answer> => {
      const request: ModelRequest = { model: "near/m", messages: [user("Hello")] };
      return mode === "complete" ? client.complete(request) : client.stream(request).response();
    };
    expect((await callModel()).provider).toBe("far");
    isDown = false;
    expect((await callModel()).provider).toBe("near");
    isDown = true;
    expect(await callModel()).toMatchObject({ provider: "near", attempts: [] });
    expect([near.callCount, far.callCount]).toStrictEqual([1, 1]);
  });

  test("an answer of a second attempt is cached without its attempts", async () => {
    const store = new Map<string, string>();
    const near = counting();
    let isFirst = true;
    const provider: LocalProvider = {
      retry: { attempts: 2, baseMs: 0 },
      answer: (...args) => {
        const answer = isFirst ? [...REFUSED] : near.answer(...args);
        isFirst = false;
        return answer;
      },
    };
    const client = createClient({ providers: { near: provider }, middleware: [caching({ store })] });
    const answer = await client.complete({ model: "m", messages: [user("Hello")] });
    expect(answer.attempts).toHaveLength(2);
    expect([...store.values()].map((text) => JSON.parse(text) as unknown)).toMatchObject([{ attempts: [] }]);
  });

  test("clients that share a store are separated by their namespaces", async () => {
    const store = new Map<string, string>();
    const [one, same, other] = ["a", "a", "b"].map((namespace) => setup([caching({ store, namespace })]));
    await one?.ask("Hello");
    await same?.ask("Hello");
    await other?.ask("Hello");
    expect([one, same, other].map((each) => each?.provider.callCount)).toStrictEqual([1, 0, 1]);
  });

  test("a store with two entries evicts the entry that was read least recently", () => {
    const store = boundedStore(2);
    store.set("a", "1");
    store.set("b", "2");
    expect(store.get("a")).toBe("1");
    store.set("c", "3");
    expect([store.get("a"), store.get("b"), store.get("c")]).toStrictEqual(["1", undefined, "3"]);
  });

  test("an asynchronous store is awaited, and its keys do not contain the text of the request", async () => {
    const entries = new Map<string, string>();
    const store = {
      get: async (key: string) => Promise.resolve(entries.get(key)),
      set: async (key: string, answer: string) => Promise.resolve(entries.set(key, answer)),
    };
    const { ask } = setup([caching({ store })]);
    await ask("My secret");
    await ask("My secret", "stream");
    const [key, ...others] = entries.keys();
    expect(others).toStrictEqual([]);
    expect(key).toMatch(/^koine-1-[0-9a-f]{64}$/);
  });

  test.each([null, undefined])("a store may return %s for a missing entry", async (missing) => {
    const errors: unknown[] = [];
    for (const get of [() => missing, async () => Promise.resolve(missing)]) {
      const { ask } = setup([caching({ store: { get, set: () => undefined }, onStoreError: (e) => errors.push(e) })]);
      expect(await ask("Hello")).toBe("answer 1");
    }
    expect(errors).toStrictEqual([]);
  });

  const never = (): Promise<never> => new Promise(() => undefined);

  test.each(["complete", "stream"] as const)(
    "%s: a store that never answers is abandoned, and the error is reported",
    async (mode) => {
      const errors: unknown[] = [];
      const store = { get: never, set: () => undefined };
      const { ask } = setup([caching({ store, lookupMs: 1, onStoreError: (error) => errors.push(error) })]);
      expect(await ask("Hello", mode)).toBe("answer 1");
      expect(errors.map(String)).toStrictEqual([expect.stringContaining("did not answer within 1 ms")]);
    },
  );

  test.each(["complete", "stream"] as const)("%s: an aborted call does not wait for the store", async (mode) => {
    const errors: unknown[] = [];
    const looked = Promise.withResolvers<void>();
    const get = (): Promise<never> => {
      looked.resolve();
      return never();
    };
    const onStoreError = (error: unknown): number => errors.push(error);
    const store = { get, set: () => undefined };
    const { ask, provider } = setup([caching({ store, lookupMs: Infinity, onStoreError })]);
    const control = new AbortController();
    const call = ask("Hello", mode, { signal: control.signal });
    await looked.promise;
    control.abort("enough");
    await expect(call).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    expect(provider.callCount).toBe(0);
    expect(errors).toStrictEqual([]);
  });

  test("a stream can be cancelled and left during the lookup of its answer", async () => {
    const { client, provider } = setup([caching({ store: { get: never, set: () => undefined } })]);
    const stream = (): AnswerStream => client.stream({ model: "m", messages: [user("Hello")] });
    const [cancelled, left] = [stream(), stream()];
    const waiting = [cancelled.response(), left.response()];
    await new Promise((resolve) => setImmediate(resolve));
    cancelled.cancel("enough");
    await left.return?.();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: "aborted" });
    expect(provider.callCount).toBe(0);
  });

  test.each(["complete", "stream"] as const)("%s: an answer does not wait until it is stored", async (mode) => {
    const { ask } = setup([caching({ store: { get: () => undefined, set: never } })]);
    expect(await ask("Hello", mode)).toBe("answer 1");
  });

  test.each<[string, () => string]>([
    ["that throws", () => thrownNow("gone")],
    ["that returns a value of another shape", () => "null"],
    ["that returns truncated JSON", () => '{"message":'],
  ])("a store %s does not prevent the answer, and the error is reported", async (_, get) => {
    const errors: unknown[] = [];
    const store = { get, set: () => thrownNow("full") };
    const { ask } = setup([caching({ store, onStoreError: (error) => errors.push(error) })]);
    expect(await ask("Hello")).toBe("answer 1");
    expect(await ask("Hello", "stream")).toBe("answer 2");
    expect(errors).toHaveLength(4);
  });
});

/** A provider that is unavailable. */
const REFUSED: readonly Delta[] = [
  { kind: "start", payload: { modelId: "m-1", requestId: "r0" } },
  { kind: "error", payload: { errorCode: "overloaded" } },
];

function thrownNow(message: string): never {
  throw new Error(message);
}

describe("callKey", () => {
  const request: ModelRequest = { model: "m", messages: [user("Hello")], sampling: { temperature: 0, seed: 1 } };
  const key = (change: Partial<ModelRequest> = {}, options: CallOptions = {}): string =>
    callKey({ request: { ...request, ...change }, options });

  test.each<[string, Partial<ModelRequest>, CallOptions]>([
    ["the order of keys", { sampling: { seed: 1, temperature: 0 } }, {}],
    ["the stream flag", { stream: true }, {}],
    [
      "the id and the metadata of a message",
      { messages: [{ ...user("Hello"), id: "1", metadata: { runId: "2" } }] },
      {},
    ],
    ["limits and the caller's metadata", {}, { metadata: { a: 1 }, timeouts: { gapMs: 1 }, retry: { attempts: 9 } }],
    ["a signal", {}, { signal: new AbortController().signal }],
  ])("does not depend on %s", (_, change, options) => {
    expect(key(change, options)).toBe(key());
  });

  const big = (digits: string): Record<string, unknown> => parseJson(`{"n":${digits}}`) as Record<string, unknown>;

  test.each<[string, Partial<ModelRequest>, CallOptions]>([
    ["the model", { model: "n" }, {}],
    ["the text of a message", { messages: [user("Hello!")] }, {}],
    ["the role of a message", { messages: [{ ...user("Hello"), role: "system" }] }, {}],
    ["the name of a message", { messages: [{ ...user("Hello"), name: "ada" }] }, {}],
    ["settings", { sampling: { temperature: 1 } }, {}],
    ["tools", { tools: [{ type: "function", name: "f" }] }, {}],
    ["the metadata of the request", { metadata: { user_id: "ada" } }, {}],
    ["the provider", {}, { provider: "far" }],
    ["headers", {}, { headers: { "x-beta": "1" } }],
    ["fallbacks", {}, { fallbacks: ["far/m"] }],
  ])("depends on %s", (_, change, options) => {
    expect(key(change, options)).not.toBe(key());
  });

  test("headers make the same key as an object, a list and a Headers object", () => {
    const forms = [{ "X-Beta": "1" }, new Headers({ "x-beta": "1" }), new Map([["x-beta", "1"]])];
    const keys = forms.map((headers) => key({}, { headers }));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).not.toBe(key({}, { headers: new Headers({ "x-beta": "2" }) }));
  });

  test("B23: numbers that differ only beyond the precision of a double make different keys", () => {
    const one = big("9007199254740993");
    const other = big("9007199254740992");
    expect(key({ metadata: one })).not.toBe(key({ metadata: other }));
    expect(key({ metadata: one })).toBe(key({ metadata: big("9007199254740993") }));
  });
});
