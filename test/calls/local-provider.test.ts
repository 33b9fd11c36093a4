// Local providers are callers' code: they may never wait, fail at any time, or yield invalid deltas. None of it blocks or ends
// the process.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../src/index.ts";
import { answer, delta, START } from "../support/deltas.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";

const ASK: ModelRequest = { model: "m", messages: [] };
const word = delta("text", { textDelta: "a" });

describe("a provider that never waits and never ends", () => {
  const ENDLESS: [how: string, provider: LocalProvider][] = [
    [
      "a generator",
      {
        *answer() {
          yield START;
          for (;;) yield word;
        },
      },
    ],
    [
      "a generator that takes its time for each word",
      {
        *answer() {
          yield START;
          for (;;) {
            const end = performance.now() + 0.5;
            while (performance.now() < end);
            yield word;
          }
        },
      },
    ],
    [
      "an async generator without a wait",
      {
        async *answer() {
          yield START;
          for (;;) yield word;
        },
      },
    ],
  ];

  test.each(ENDLESS)("is ended by the limit of the call: %s", async (_, here) => {
    const client = createClient({ providers: { here } });
    const options = { timeouts: { totalMs: 50 } };
    expect((await errorOf(client.complete(ASK, options))).code).toBe("timeout");
    expect((await errorOf(client.stream(ASK, options).response())).code).toBe("timeout");
  });

  test.each(ENDLESS)("is ended by the caller's signal: %s", async (_, here) => {
    const client = createClient({ providers: { here } });
    const controller = new AbortController();
    const call = errorOf(client.complete(ASK, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 5);
    expect((await call).code).toBe("aborted");
  });

  test.each(ENDLESS)("is ended though the clock of the client stands still: %s", async (_, here) => {
    const client = createClient({ providers: { here }, effects: { clock: () => 0 } });
    const controller = new AbortController();
    const call = errorOf(client.complete(ASK, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 5);
    expect((await call).code).toBe("aborted");
  });
});

describe("what fails when nobody listens any more ends no process", () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  beforeEach(() => {
    unheard.length = 0;
    process.on("unhandledRejection", hear);
  });
  afterEach(() => {
    process.off("unhandledRejection", hear);
  });

  test("a key that cannot be fetched because the caller ended it", async () => {
    const controller = new AbortController();
    const apiKey = async (): Promise<string> => {
      controller.abort();
      throw new Error("no key");
    };
    const there = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:9", apiKey } as const;
    const call = createClient({ providers: { there } }).complete(ASK, { signal: controller.signal });
    expect((await errorOf(call)).code).toBe("aborted");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(unheard).toStrictEqual([]);
  });

  test("a provider that ends the call itself, and then throws", async () => {
    const controller = new AbortController();
    const here: LocalProvider = {
      // oxlint-disable-next-line require-yield -- it throws before its first yield
      async *answer(): AsyncGenerator<Delta> {
        controller.abort();
        throw new Error("gone");
      },
    };
    const call = createClient({ providers: { here } }).complete(ASK, { signal: controller.signal });
    expect((await errorOf(call)).code).toBe("aborted");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(unheard).toStrictEqual([]);
  });
});

describe("what is no delta", () => {
  const ODD: [what: string, given: unknown][] = [
    ["null", null],
    ["a number", 42],
    ["a string", "Hello."],
    ["an object without a kind", { payload: {} }],
    ["a delta without its payload", { kind: "text" }],
  ];
  const WAYS: [how: string, provide: (given: unknown, left: () => void) => LocalProvider][] = [
    [
      "at once",
      (given, left) => ({
        *answer() {
          try {
            // A provider without static types.
            yield* [...answer(word).slice(0, -1), given as Delta];
          } finally {
            left();
          }
        },
      }),
    ],
    [
      "in time",
      (given, left) => ({
        async *answer() {
          try {
            yield* [...answer(word).slice(0, -1), given as Delta];
          } finally {
            left();
          }
        },
      }),
    ],
  ];

  test.each(ODD.flatMap(([what, given]) => WAYS.map(([how, provide]) => [what, how, given, provide] as const)))(
    "is told as the provider's own mistake, once: %s, %s",
    async (_, __, given, provide) => {
      let left = 0;
      const client = createClient({ providers: { here: provide(given, () => (left += 1)) } });
      const { deltas, error } = await readAll(client.stream(ASK));
      expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "error"]);
      expect(error).toMatchObject({ code: "server", error: { retryable: false } });
      expect(error?.message).toContain("a delta has a kind and a payload");
      // The advice does not suggest a retry, which cannot help.
      expect(error?.message).not.toContain("Call again later");
      expect((await errorOf(client.complete(ASK))).attempts).toHaveLength(1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(left).toBe(2);
    },
  );
});

test.each<[what: string, thrown: unknown, advice: string]>([
  [
    "nothing was said",
    { kind: "truncated", message: "Cut." },
    "Cut. Call again later, allow more attempts, or add a fallback.",
  ],
  ["nothing is known", { kind: "unknown", message: "No.", raw: undefined }, "No. Details are in `cause`."],
  ["there is more", { kind: "unknown", message: "No.", raw: { a: 1 } }, "No. Details are in `error.raw` and `cause`."],
  [
    "it is hopeless",
    { kind: "server", message: "No.", retryable: false },
    "A retry will not help. Details are in `cause`.",
  ],
])("advice points only at what is there: %s", async (_, thrown, advice) => {
  const provider: LocalProvider = {
    answer() {
      throw thrown;
    },
  };
  const error = await errorOf(createClient({ providers: { provider }, retry: { attempts: 1 } }).complete(ASK));
  expect(error.message.endsWith(advice), error.message).toBe(true);
  expect(error.partial).toBeUndefined();
});

test("an error delta without more to tell says so", async () => {
  const provider: LocalProvider = { answer: () => [START, delta("error", { errorCode: "unknown", message: "No." })] };
  const error = await errorOf(createClient({ providers: { provider } }).complete(ASK));
  expect(error.message).toContain("No. No details are known.");
});

test("fields that no request has are left out and reported, as they are over HTTP", async () => {
  const seen: object[] = [];
  const provider: LocalProvider = { answer: (request) => (seen.push(request), answer()) };
  const request = { ...ASK, temperature: 1, signal: undefined, "a/b": true, sampling: { temperature: 0 } };
  const { losses } = await createClient({ providers: { provider } }).complete(request);
  const message = "provider has no field for this value; it was dropped.";
  expect(losses).toStrictEqual(
    ["/temperature", "/a~1b"].map((path) => ({
      path,
      action: "dropped",
      level: "loss",
      code: "field-unsupported",
      message,
    })),
  );
  expect(seen).toStrictEqual([{ ...ASK, stream: false, sampling: { temperature: 0 } }]);
});
