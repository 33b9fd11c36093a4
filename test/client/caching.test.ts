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
    ["a whole answer is given again", "complete", "complete"],
    ["a whole answer is given again as a stream", "complete", "stream"],
    ["a streamed answer is given again", "stream", "complete"],
    ["a streamed answer is streamed again", "stream", "stream"],
  ])("%s", async (_, first, second) => {
    const { ask, provider } = setup([caching()]);
    expect(await ask("Hello", first)).toBe("answer 1");
    expect(await ask("Hello", second)).toBe("answer 1");
    expect(await ask("Hello?", second)).toBe("answer 2");
    expect(provider.asked).toBe(2);
  });

  test("an answer from the cache says that nobody was asked, and is otherwise the same", async () => {
    const { client } = setup([caching()]);
    const request: ModelRequest = { model: "m", messages: [user("Hello")] };
    const first = await client.complete(request);
    const second = await client.complete(request);
    expect(first.attempts).toHaveLength(1);
    expect(second).toStrictEqual({ ...first, attempts: [] });
    expect(await client.stream(request).response()).toStrictEqual(second);
  });

  test("what one caller does to an answer, another does not see", async () => {
    const { client, ask } = setup([caching()]);
    for (let time = 0; time < 2; time++) {
      const { message } = await client.complete({ model: "m", messages: [user("Hello")] });
      message.parts.length = 0;
    }
    expect(await ask("Hello")).toBe("answer 1");
  });

  test("errors are never kept", async () => {
    const { ask, provider } = setup([caching()]);
    await expect(ask("break")).rejects.toMatchObject({ code: "overloaded" });
    const callCount = provider.asked;
    await expect(ask("break", "stream")).rejects.toMatchObject({ code: "overloaded" });
    expect(provider.asked).toBeGreaterThan(callCount);
  });

  test("a stream that was left is not kept, one that was left at its end is", async () => {
    const { client, ask, provider } = setup([caching()]);
    const readUntil = async (last: Delta["kind"]): Promise<void> => {
      for await (const { kind } of client.stream({ model: "m", messages: [user("Hello")] })) if (kind === last) break;
    };
    await readUntil("text");
    await readUntil("done");
    expect(provider.asked).toBe(2);
    expect(await ask("Hello")).toBe("answer 2");
    expect(provider.asked).toBe(2);
  });

  test("whoever gave up is told so, and not answered", async () => {
    const { ask } = setup([caching()]);
    await ask("Hello");
    for (const mode of ["complete", "stream"] as const) {
      await expect(ask("Hello", mode, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    }
  });

  test("the caller says what makes two calls the same, and what is not cached", async () => {
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
  ])("a key that is %s is refused: it would make all questions the same", async (_, key) => {
    const { ask, provider } = setup([caching({ key: () => key as string })]);
    for (const mode of ["complete", "stream"] as const) {
      await expect(ask("Hello", mode)).rejects.toMatchObject({ code: "configuration", path: "/key" });
    }
    expect(provider.asked).toBe(0);
  });

  test.each(["complete", "stream"] as const)("%s: an answer that a fallback gave is not kept", async (mode) => {
    let isDown = true;
    const near = counting();
    const far = counting();
    const down: LocalProvider = {
      retry: { attempts: 1 },
      answer: (...asked) => (isDown ? [...REFUSED] : near.answer(...asked)),
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
    expect([near.asked, far.asked]).toStrictEqual([1, 1]);
  });

  test("an answer that needed a second attempt is kept, without its attempts", async () => {
    const store = new Map<string, string>();
    const near = counting();
    let isFirst = true;
    const provider: LocalProvider = {
      retry: { attempts: 2, baseMs: 0 },
      answer: (...asked) => {
        const answer = isFirst ? [...REFUSED] : near.answer(...asked);
        isFirst = false;
        return answer;
      },
    };
    const client = createClient({ providers: { near: provider }, middleware: [caching({ store })] });
    const answer = await client.complete({ model: "m", messages: [user("Hello")] });
    expect(answer.attempts).toHaveLength(2);
    expect([...store.values()].map((text) => JSON.parse(text) as unknown)).toMatchObject([{ attempts: [] }]);
  });

  test("clients that share a store keep apart by their namespaces", async () => {
    const store = new Map<string, string>();
    const [one, same, other] = ["a", "a", "b"].map((namespace) => setup([caching({ store, namespace })]));
    await one?.ask("Hello");
    await same?.ask("Hello");
    await other?.ask("Hello");
    expect([one, same, other].map((each) => each?.provider.asked)).toStrictEqual([1, 0, 1]);
  });

  test("a store that forgets everything but the last two forgets what was asked for the longest time ago", () => {
    const store = boundedStore(2);
    store.set("a", "1");
    store.set("b", "2");
    expect(store.get("a")).toBe("1");
    store.set("c", "3");
    expect([store.get("a"), store.get("b"), store.get("c")]).toStrictEqual(["1", undefined, "3"]);
  });

  test("a store elsewhere is waited for, and does not see the question in its keys", async () => {
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

  test.each([null, undefined])("%s is what a store has for what it has not", async (nothing) => {
    const errors: unknown[] = [];
    for (const get of [() => nothing, async () => Promise.resolve(nothing)]) {
      const { ask } = setup([caching({ store: { get, set: () => undefined }, onStoreError: (e) => errors.push(e) })]);
      expect(await ask("Hello")).toBe("answer 1");
    }
    expect(errors).toStrictEqual([]);
  });

  const never = (): Promise<never> => new Promise(() => undefined);

  test.each(["complete", "stream"] as const)(
    "%s: a store that never answers is given up, and told of",
    async (mode) => {
      const errors: unknown[] = [];
      const store = { get: never, set: () => undefined };
      const { ask } = setup([caching({ store, lookupMs: 1, onStoreError: (error) => errors.push(error) })]);
      expect(await ask("Hello", mode)).toBe("answer 1");
      expect(errors.map(String)).toStrictEqual([expect.stringContaining("did not answer within 1 ms")]);
    },
  );

  test.each(["complete", "stream"] as const)("%s: whoever gives up does not wait for the store", async (mode) => {
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
    expect(provider.asked).toBe(0);
    expect(errors).toStrictEqual([]);
  });

  test("a stream whose answer is being looked up can be cancelled and left", async () => {
    const { client, provider } = setup([caching({ store: { get: never, set: () => undefined } })]);
    const stream = (): AnswerStream => client.stream({ model: "m", messages: [user("Hello")] });
    const [cancelled, left] = [stream(), stream()];
    const waiting = [cancelled.response(), left.response()];
    await new Promise((resolve) => setImmediate(resolve));
    cancelled.cancel("enough");
    await left.return?.();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: "aborted" });
    expect(provider.asked).toBe(0);
  });

  test.each(["complete", "stream"] as const)("%s: no answer waits until it is kept", async (mode) => {
    const { ask } = setup([caching({ store: { get: () => undefined, set: never } })]);
    expect(await ask("Hello", mode)).toBe("answer 1");
  });

  test.each<[string, () => string]>([
    ["that fails", () => thrownNow("gone")],
    ["that gives back something else", () => "null"],
    ["that gives back half of it", () => '{"message":'],
  ])("a store %s costs no answer, and is told of", async (_, get) => {
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
    ["whether it is streamed", { stream: true }, {}],
    [
      "what a message is called, and its facts",
      { messages: [{ ...user("Hello"), id: "1", metadata: { runId: "2" } }] },
      {},
    ],
    ["limits and the caller's own facts", {}, { metadata: { a: 1 }, timeouts: { gapMs: 1 }, retry: { attempts: 9 } }],
    ["a signal", {}, { signal: new AbortController().signal }],
  ])("does not depend on %s", (_, change, options) => {
    expect(key(change, options)).toBe(key());
  });

  const big = (digits: string): Record<string, unknown> => parseJson(`{"n":${digits}}`) as Record<string, unknown>;

  test.each<[string, Partial<ModelRequest>, CallOptions]>([
    ["the model", { model: "n" }, {}],
    ["the words", { messages: [user("Hello!")] }, {}],
    ["who says them", { messages: [{ ...user("Hello"), role: "system" }] }, {}],
    ["whose name they bear", { messages: [{ ...user("Hello"), name: "ada" }] }, {}],
    ["settings", { sampling: { temperature: 1 } }, {}],
    ["tools", { tools: [{ type: "function", name: "f" }] }, {}],
    ["the request's own metadata", { metadata: { user_id: "ada" } }, {}],
    ["the provider", {}, { provider: "far" }],
    ["headers", {}, { headers: { "x-beta": "1" } }],
    ["fallbacks", {}, { fallbacks: ["far/m"] }],
  ])("depends on %s", (_, change, options) => {
    expect(key(change, options)).not.toBe(key());
  });

  test("headers are the same in whatever form they come", () => {
    const forms = [{ "X-Beta": "1" }, new Headers({ "x-beta": "1" }), new Map([["x-beta", "1"]])];
    const keys = forms.map((headers) => key({}, { headers }));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).not.toBe(key({}, { headers: new Headers({ "x-beta": "2" }) }));
  });

  test("B23: numbers that a double does not tell apart make another question", () => {
    const one = big("9007199254740993");
    const other = big("9007199254740992");
    expect(key({ metadata: one })).not.toBe(key({ metadata: other }));
    expect(key({ metadata: one })).toBe(key({ metadata: big("9007199254740993") }));
  });
});
