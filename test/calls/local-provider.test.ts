// Local providers are callers' code: they may never wait, fail at any time, or yield invalid deltas. None of it blocks or ends
// the process.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../src/index.ts";
import { answer, delta, START } from "../support/deltas.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";

const ASK: ModelRequest = { model: "m", messages: [] };
const textDelta = delta("text", { textDelta: "a" });

describe("a provider that never waits and never ends", () => {
  const ENDLESS: [how: string, provider: LocalProvider][] = [
    [
      "a generator",
      {
        *answer() {
          yield START;
          for (;;) yield textDelta;
        },
      },
    ],
    [
      "a generator that is slow for each delta",
      {
        *answer() {
          yield START;
          for (;;) {
            const end = performance.now() + 0.5;
            while (performance.now() < end);
            yield textDelta;
          }
        },
      },
    ],
    [
      "an async generator without a wait",
      {
        async *answer() {
          yield START;
          for (;;) yield textDelta;
        },
      },
    ],
  ];

  test.each(ENDLESS)("is stopped by the limit of the call: %s", async (_, here) => {
    const client = createClient({ providers: { here } });
    const options = { timeouts: { totalMs: 50 } };
    expect((await errorOf(client.complete(ASK, options))).code).toBe("timeout");
    expect((await errorOf(client.stream(ASK, options).response())).code).toBe("timeout");
  });

  test.each(ENDLESS)("is stopped by the caller's signal: %s", async (_, here) => {
    const client = createClient({ providers: { here } });
    const controller = new AbortController();
    const call = errorOf(client.complete(ASK, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 5);
    expect((await call).code).toBe("aborted");
  });

  test.each(ENDLESS)("is stopped although the client's clock does not advance: %s", async (_, here) => {
    const client = createClient({ providers: { here }, effects: { clock: () => 0 } });
    const controller = new AbortController();
    const call = errorOf(client.complete(ASK, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 5);
    expect((await call).code).toBe("aborted");
  });
});

describe("a late rejection does not end the process", () => {
  const unhandled: unknown[] = [];
  const recordRejection = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", recordRejection);
  });
  afterEach(() => {
    process.off("unhandledRejection", recordRejection);
  });

  test("a key that cannot be fetched after the caller aborted", async () => {
    const controller = new AbortController();
    const apiKey = async (): Promise<string> => {
      controller.abort();
      throw new Error("no key");
    };
    const there = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:9", apiKey } as const;
    const call = createClient({ providers: { there } }).complete(ASK, { signal: controller.signal });
    expect((await errorOf(call)).code).toBe("aborted");
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toStrictEqual([]);
  });

  test("a provider that aborts the call and then throws", async () => {
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
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toStrictEqual([]);
  });
});

describe("an invalid delta", () => {
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
            yield* [...answer(textDelta).slice(0, -1), given as Delta];
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
            yield* [...answer(textDelta).slice(0, -1), given as Delta];
          } finally {
            left();
          }
        },
      }),
    ],
  ];

  test.each(ODD.flatMap(([what, given]) => WAYS.map(([how, provide]) => [what, how, given, provide] as const)))(
    "is reported once as an error of the provider: %s, %s",
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
    "the provider gave no advice",
    { kind: "truncated", message: "Cut." },
    "Cut. Call again later, allow more attempts, or add a fallback.",
  ],
  ["the error has no details", { kind: "unknown", message: "No.", raw: undefined }, "No. Details are in `cause`."],
  ["there is more", { kind: "unknown", message: "No.", raw: { a: 1 } }, "No. Details are in `error.raw` and `cause`."],
  [
    "a retry is useless",
    { kind: "server", message: "No.", retryable: false },
    "A retry will not help. Details are in `cause`.",
  ],
])("an error message contains only advice that applies: %s", async (_, thrown, advice) => {
  const provider: LocalProvider = {
    answer() {
      throw thrown;
    },
  };
  const error = await errorOf(createClient({ providers: { provider }, retry: { attempts: 1 } }).complete(ASK));
  expect(error.message.endsWith(advice), error.message).toBe(true);
  expect(error.partial).toBeUndefined();
});

test("the message of an error delta without details states that details are missing", async () => {
  const provider: LocalProvider = { answer: () => [START, delta("error", { errorCode: "unknown", message: "No." })] };
  const error = await errorOf(createClient({ providers: { provider } }).complete(ASK));
  expect(error.message).toContain("No. No details are known.");
});

test("unknown fields of a request are dropped and reported, as over HTTP", async () => {
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
