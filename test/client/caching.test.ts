// Caching: which answers are given again, to whom, and what makes two calls the same question.
import { describe, expect, test } from "vitest";
import type { Delta, Request } from "koine";
import { parseJson, user } from "koine";
import type { CallOptions } from "koine/client";
import { boundedStore, caching, callKey } from "koine/client";
import type { Mode } from "./support/counting.ts";
import { setup } from "./support/counting.ts";

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
    const request: Request = { model: "m", messages: [user("Hello")] };
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
    const asked = provider.asked;
    await expect(ask("break", "stream")).rejects.toMatchObject({ code: "overloaded" });
    expect(provider.asked).toBeGreaterThan(asked);
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

function thrownNow(message: string): never {
  throw new Error(message);
}

describe("callKey", () => {
  const request: Request = { model: "m", messages: [user("Hello")], sampling: { temperature: 0, seed: 1 } };
  const key = (change: Partial<Request> = {}, options: CallOptions = {}): string =>
    callKey({ request: { ...request, ...change }, options });

  test.each<[string, Partial<Request>, CallOptions]>([
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

  test.each<[string, Partial<Request>, CallOptions]>([
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

  test("B23: numbers that a double does not tell apart make another question", () => {
    const one = big("9007199254740993");
    const other = big("9007199254740992");
    expect(key({ metadata: one })).not.toBe(key({ metadata: other }));
    expect(key({ metadata: one })).toBe(key({ metadata: big("9007199254740993") }));
  });
});
