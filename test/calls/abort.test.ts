// Aborted calls: at every stage, by signal, by `cancel`, or by leaving the loop. The connection to the provider is closed
// each time, and nothing is left behind.
import { describe, expect, test } from "vitest";
import type { AnswerStream, CallOptions, LocalProvider, Transport } from "../../src/client/index.ts";
import { createClient, defaultTransport } from "../../src/client/index.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { orAborted } from "../../src/calls/or-aborted.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { answer, delta } from "../support/deltas.ts";
import { CountingTransport } from "./support/counting-transport.ts";
import { leavingNothing } from "./support/leak-checks.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { clientAt, DIALECTS, QUESTION, streamPieces, streamReply, wholeBody } from "./support/provider-fixtures.ts";

const REASON = new Error("The reader went home.");

describe.each(["complete", "stream"] as const)("%s", (how) => {
  const callModel = (client: ReturnType<typeof clientAt>, options: CallOptions): Promise<unknown> =>
    how === "complete" ? client.complete(QUESTION, options) : client.stream(QUESTION, options).response();
  const reply: Reply = how === "complete" ? { body: wholeBody("openai-chat") } : streamReply("openai-chat");

  test("an aborted signal sends no request", async () => {
    await using server = await replayServer({ "*": reply });
    await leavingNothing(
      server,
      async () => {
        const error = await errorOf(callModel(clientAt(server), { signal: AbortSignal.abort(REASON) }));
        expect(error).toMatchObject({ code: "aborted", cause: REASON, attempts: [] });
        expect(error.message).toContain("The reader went home.");
        expect(server.requests).toHaveLength(0);
      },
      0,
    );
  });

  const STAGES: [title: string, reply: Reply][] = [
    ["before the headers", { ...reply, stall: "headers" }],
    ["before the first byte", { ...reply, stall: 0 }],
    ["in the middle", { ...reply, stall: 40 }],
    ["in a refusal", { status: 500, body: "no", stall: 1 }],
  ];
  test.each(STAGES)("a signal %s ends the call", async (_, stalled) => {
    await using server = await replayServer({ "*": stalled });
    await leavingNothing(
      server,
      async () => {
        const controller = new AbortController();
        const transport = new CountingTransport(defaultTransport());
        const client = clientAt(server, "openai-chat", { transport });
        const call = errorOf(callModel(client, { signal: controller.signal }));
        while (server.requests.length === 0 || !transport.hasReached(stalled.stall)) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        controller.abort(REASON);
        const error = await call;
        expect(error).toMatchObject({ code: "aborted", cause: REASON, attempts: [{ aborted: true }] });
        expect(error.attempts[0]).not.toHaveProperty("error");
        expect(await server.requests[0]?.ended).toBe("aborted");
      },
      0,
    );
  });

  test("a signal during the wait before a retry ends the call", async () => {
    await using server = await replayServer({ "*": { status: 500 } });
    await leavingNothing(server, async () => {
      const controller = new AbortController();
      const client = clientAt(server, "openai-chat", { onAttempt: () => setImmediate(() => controller.abort(REASON)) });
      const error = await errorOf(
        callModel(client, { signal: controller.signal, retry: { baseMs: 60_000, maxMs: 60_000 } }),
      );
      expect(error).toMatchObject({ code: "aborted", attempts: [{ status: 500, error: { kind: "server" } }] });
    });
  });

  test("a signal while the key is fetched ends the call", async () => {
    await using server = await replayServer({ "*": reply });
    const controller = new AbortController();
    const there = {
      dialect: "openai-chat",
      baseUrl: server.url,
      apiKey: () => (setImmediate(() => controller.abort(REASON)), new Promise<string>(() => undefined)),
    } as const;
    const error = await errorOf(callModel(createClient({ providers: { there } }), { signal: controller.signal }));
    expect(error.code).toBe("aborted");
    expect(server.requests).toHaveLength(0);
  });

  test("a signal while the connection opens ends the call", async () => {
    const controller = new AbortController();
    const transport: Transport = {
      send: (_, { signal }) =>
        new Promise((__, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          controller.abort(REASON);
        }),
      close: () => Promise.resolve(),
    };
    const client = clientAt({ url: "http://127.0.0.1:9" }, "openai-chat", { transport });
    expect(await errorOf(callModel(client, { signal: controller.signal }))).toMatchObject({
      code: "aborted",
      cause: REASON,
    });
  });

  test("a signal after the end has no effect, and its listener is removed", async () => {
    await using server = await replayServer({ "*": reply });
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args));
    const result = await callModel(clientAt(server), { signal });
    controller.abort(REASON);
    expect(result).toMatchObject({ provider: "there" });
    expect(listeners).toBe(0);
  });
});

describe("a stream that its reader leaves", () => {
  /** Sends one chunk, then no further bytes. */
  const open = (id: (typeof DIALECTS)[number]): Reply => {
    const { chunks = [], ...rest } = streamReply(id);
    const half = chunks.slice(0, Math.ceil(chunks.length / 2));
    return { ...rest, chunks, stall: half.reduce((sum, piece) => sum + piece.length, 0) };
  };
  const WAYS: [title: string, leave: (stream: AnswerStream, controller: AbortController) => Promise<unknown>][] = [
    ["leaving its loop", (stream) => readSome(stream, 2)],
    ["leaving the loop over its batches", (stream) => readSome(stream.batches(), 1)],
    [
      "leaving its scope",
      async (stream) => {
        await using left = stream;
        await left.next();
      },
    ],
    [
      "by cancel",
      async (stream) => {
        await stream.next();
        stream.cancel(REASON);
      },
    ],
    [
      "cancel during a read",
      async (stream) => {
        const rest = readAll(stream);
        while ((stream.snapshot()?.message.parts.length ?? 0) === 0)
          await new Promise((resolve) => setImmediate(resolve));
        stream.cancel(REASON);
        expect((await rest).error).toMatchObject({ code: "aborted", cause: REASON });
      },
    ],
    [
      "its signal without a reader",
      async (stream, controller) => {
        await stream.next();
        controller.abort(REASON);
      },
    ],
  ];
  test.each(DIALECTS.flatMap((id) => WAYS.map(([title, leave]) => [id, title, leave] as const)))(
    "%s: %s ends the call, and the error has the partial answer",
    async (id, _, leave) => {
      await using server = await replayServer({ "*": open(id) });
      await leavingNothing(
        server,
        async () => {
          const controller = new AbortController();
          const unhandled: unknown[] = [];
          const client = clientAt(server, id, { onAttempt: (attempt) => unhandled.push(attempt.aborted) });
          const stream = client.stream(QUESTION, { signal: controller.signal });
          await leave(stream, controller);
          expect(await server.requests[0]?.ended).toBe("aborted");
          const error = await errorOf(stream.response());
          expect(error.code).toBe("aborted");
          expect(error.partial?.message).toMatchObject({ role: "assistant", metadata: { interrupted: true } });
          expect(error.partial).not.toHaveProperty("error");
          expect(unhandled).toStrictEqual([true]);
          expect(error.attempts).toHaveLength(1);
        },
        0,
      );
    },
  );

  test("its iterator is at its end after the reader left", async () => {
    const unhandled: unknown[] = [];
    const here: LocalProvider = {
      async *answer() {
        yield* answer(delta("text", { textDelta: "a" })).slice(0, -1);
        await new Promise(() => undefined);
      },
    };
    const client = createClient({ providers: { here }, onAttempt: ({ aborted }) => unhandled.push(aborted) });
    const stream = client.stream({ model: "m", messages: [] });
    await stream.next();
    expect(unhandled).toStrictEqual([]);
    expect(await stream.return?.()).toStrictEqual({ done: true, value: undefined });
    // After the reader left, the attempt is complete in the log.
    expect(unhandled).toStrictEqual([true]);
    expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
    expect((await stream.batches().next()).done).toBe(true);
  });

  test("sends no request if the reader leaves before the first read", async () => {
    let callCount = 0;
    const here: LocalProvider = { answer: () => ((callCount += 1), answer()) };
    for (const leave of [(it: AnswerStream) => it.cancel(REASON), (it: AnswerStream) => void it.return?.()]) {
      const stream = createClient({ providers: { here } }).stream({ model: "m", messages: [] });
      leave(stream);
      expect((await errorOf(stream.response())).code).toBe("aborted");
    }
    expect(callCount).toBe(0);
  });

  test("a local provider's signal aborts, and its generator is closed", async () => {
    const seen: string[] = [];
    const here: LocalProvider = {
      async *answer(_, { signal }) {
        signal.addEventListener("abort", () => seen.push("aborted"));
        try {
          for (const each of answer(...Array.from({ length: 9 }, () => delta("text", { textDelta: "a" })))) {
            await Promise.resolve();
            yield each;
          }
        } finally {
          seen.push("closed");
        }
      },
    };
    for await (const { kind } of createClient({ providers: { here } }).stream({ model: "m", messages: [] })) {
      if (kind === "text") break;
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.toSorted()).toStrictEqual(["aborted", "closed"]);
  });

  test("a local provider that never waits is not read further", async () => {
    let deltaCount = 0;
    const here: LocalProvider = {
      *answer() {
        yield* answer().slice(0, 1);
        for (;;) {
          deltaCount += 1;
          yield delta("text", { textDelta: "a" });
        }
      },
    };
    const stream = createClient({ providers: { here } }).stream({ model: "m", messages: [] });
    await stream.next();
    const before = deltaCount;
    stream.cancel(REASON);
    expect((await errorOf(stream.response())).code).toBe("aborted");
    expect(deltaCount).toBe(before);
  });

  test("B67: the usage until then is recorded", async () => {
    const usage = { inputTokens: 5, outputTokens: 1, totalTokens: 6 };
    const here: LocalProvider = {
      async *answer() {
        yield* answer(delta("usage", usage), delta("text", { textDelta: "a" })).slice(0, -1);
        await new Promise(() => undefined);
      },
    };
    const prices = { m: { input: 1_000_000, output: 1_000_000 } };
    const stream = createClient({ providers: { here }, prices }).stream({ model: "m", messages: [] });
    for await (const { kind } of stream) if (kind === "text") break;
    const error = await errorOf(stream.response());
    expect(error.attempts).toMatchObject([{ aborted: true, usage: { ...usage, cost: 6 } }]);
    expect(error.partial?.usage).toMatchObject(usage);
  });
});

/** Reads the first values of an iterable, and leaves it. */
async function readSome(items: AsyncIterable<unknown>, count: number): Promise<void> {
  let left = count;
  for await (const _ of items) {
    left -= 1;
    if (left === 0) return;
  }
}

test("pending deltas are not delivered after the caller aborts", async () => {
  const here: LocalProvider = {
    async *answer() {
      yield* answer(delta("text", { textDelta: "a" }), delta("text", { textDelta: "b" })).slice(0, -1);
      await new Promise(() => undefined);
    },
  };
  const stream = createClient({ providers: { here } }).stream({ model: "m", messages: [] });
  const response = errorOf(stream.response());
  while (stream.snapshot()?.message.parts.length !== 1) await new Promise((resolve) => setImmediate(resolve));
  stream.cancel(REASON);
  expect(await readAll(stream)).toStrictEqual({ deltas: [], error: await response });
  expect((await response).partial?.message.parts).toStrictEqual([{ type: "text", text: "ab" }]);
});

test("a promise that ignores the signal is not awaited, even if the signal was aborted before", async () => {
  const never = new Promise<void>(() => undefined);
  await expect(orAborted(never, AbortSignal.abort(REASON))).rejects.toBe(REASON);
});

test("a delta that arrives while the reader leaves is in the error's partial answer and has no other effect", async () => {
  const [first = new Uint8Array(), ...rest] = streamPieces("openai-chat");
  const { promise, resolve } = Promise.withResolvers<IteratorResult<Uint8Array, undefined>>();
  async function* body(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([first, ...rest.slice(0, 1)]);
    yield (await promise).value ?? new Uint8Array();
    signal.throwIfAborted();
  }
  const transport: Transport = {
    send: (_, { signal }) =>
      Promise.resolve({ status: 200, headers: {}, body: body(signal), discard: () => undefined }),
    close: () => Promise.resolve(),
  };
  const stream = clientAt({ url: "http://127.0.0.1:9" }, "openai-chat", { transport }).stream(QUESTION);
  await stream.next();
  await stream.next();
  const pending = stream.next().catch((error: unknown) => error);
  resolve({ done: false, value: Buffer.concat(rest.slice(1, 3)) });
  stream.cancel(REASON);
  const error = await errorOf(stream.response());
  expect(await pending).toBe(error);
  expect(error).toMatchObject({ code: "aborted", attempts: [{ aborted: true }] });
  expect(await errorOf(stream.next())).toBe(error);
});
