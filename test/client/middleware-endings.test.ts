// The ends of streams from middleware: cancelled, aborted, failed, left, and with a failing listener.
import { describe, expect, test } from "vitest";
import type { Delta } from "koine";
import { user } from "koine";
import type { Answer, AnswerStream, CallOptions, Middleware } from "koine/client";
import { budget, caching, createClient, deferStream, logging, replayAnswer, tapStream } from "koine/client";
import { setup } from "./support/counting-provider.ts";
import { readAll } from "../calls/support/thrown-errors.ts";

const START: Delta = { kind: "start", payload: { modelId: "m-1", requestId: "r1" } };
const toTextDelta = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });
const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
const BROKEN: Delta = { kind: "error", payload: { errorCode: "overloaded", message: "Too much." } };
const WHOLE = [START, toTextDelta("a"), toTextDelta("b"), toTextDelta("c"), DONE];

/** Deltas that arrive one by one, or all together. */
function openStream(
  deltas: readonly Delta[],
  together: boolean,
  middleware: readonly Middleware[] = [],
  options: CallOptions = {},
): AnswerStream {
  async function* slowly(): AsyncGenerator<Delta> {
    for (const delta of deltas) {
      await Promise.resolve();
      yield delta;
    }
  }
  const near = { answer: () => (together ? deltas : slowly()), retry: { attempts: 1 } };
  const client = createClient({ providers: { near }, middleware });
  return client.stream({ model: "m", messages: [user("Hello")] }, options);
}

const LAYERS: Record<string, () => readonly Middleware[]> = {
  "no middleware": () => [],
  logging: () => [logging(() => undefined)],
  "a budget": () => [budget({ calls: 9 })],
  "a cache": () => [caching()],
  "all of them": () => [logging(() => undefined), budget({ calls: 9 }), caching()],
};

describe.each(Object.entries(LAYERS))("behind %s", (_, layers) => {
  describe.each([
    ["one by one", false],
    ["all together", true],
  ])("deltas that arrive %s", (__, together) => {
    test("are not delivered after a reader cancelled, and every later read fails", async () => {
      const stream = openStream(WHOLE, together, layers());
      await stream.next();
      stream.cancel("enough");
      for (let time = 0; time < 2; time++) {
        await expect(stream.next()).rejects.toMatchObject({ code: "aborted", cause: "enough" });
        await expect(stream.batches().next()).rejects.toMatchObject({ code: "aborted" });
      }
    });

    test("are not delivered after the call's signal aborted", async () => {
      const control = new AbortController();
      const stream = openStream(WHOLE, together, layers(), { signal: control.signal });
      await stream.next();
      control.abort("enough");
      await expect(stream.batches().next()).rejects.toMatchObject({ code: "aborted", cause: "enough" });
      await expect(stream.next()).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    });

    test("end as usual if all of them were read before the stream was cancelled", async () => {
      const stream = openStream(WHOLE, together, layers());
      for (let read = 0; read < WHOLE.length; read++) expect((await stream.next()).done).toBe(false);
      const answer = await stream.response();
      stream.cancel();
      expect((await stream.next()).done).toBe(true);
      expect(await stream.response()).toBe(answer);
    });

    test("that end early are no complete answer for any reader", async () => {
      const stream = openStream([START, toTextDelta("a"), BROKEN], together, layers());
      const both = await Promise.all([readAll(stream), readAll(stream)]);
      const later = await readAll(stream);
      expect([...both, later].map(({ error }) => error?.code)).toStrictEqual(Array(3).fill("overloaded"));
    });

    test("end for a reader that was waiting when the stream was left", async () => {
      const stream = openStream(WHOLE, together, layers());
      const waiting = stream.next();
      await stream.return?.();
      expect((await waiting).done).toBe(true);
      expect((await stream.next()).done).toBe(true);
    });
  });
});

test("pending deltas are not delivered to a reader whose listener cancelled", async () => {
  const stream: AnswerStream = tapStream(openStream(WHOLE, true), { deltas: () => stream.cancel("enough") });
  const { deltas, error } = await readAll(stream);
  expect(deltas).toStrictEqual([]);
  expect(error).toMatchObject({ code: "aborted", cause: "enough" });
});

describe("an answer from the cache", () => {
  const answered = (): Promise<Answer> => openStream(WHOLE, true).response();

  test("is not delivered further after a reader cancelled", async () => {
    const answer = await answered();
    const stream = replayAnswer(answer);
    await stream.next();
    stream.cancel("enough");
    await expect(stream.next()).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    // The answer is complete.
    expect(await stream.response()).toBe(answer);
  });

  test("is not delivered further after the signal aborted, and not at all if the signal was already aborted", async () => {
    const control = new AbortController();
    const begun = replayAnswer(await answered(), control.signal);
    const unread = replayAnswer(await answered(), control.signal);
    await begun.next();
    control.abort("enough");
    for (const stream of [begun, unread]) {
      await expect(stream.next()).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    }
    await expect(unread.response()).rejects.toMatchObject({ code: "aborted", cause: "enough" });
  });

  test("observes the signal of the call that reads it", async () => {
    const { client } = setup([caching()]);
    const request = { model: "m", messages: [user("Hello")] };
    await client.complete(request);
    const control = new AbortController();
    const stream = client.stream(request, { signal: control.signal });
    await stream.next();
    control.abort();
    await expect(stream.next()).rejects.toMatchObject({ code: "aborted" });
  });
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a stream that is never opened", () => {
  const never = (): AnswerStream => deferStream(() => new Promise(() => undefined));

  test("can be cancelled", async () => {
    const stream = never();
    const waiting = [stream.next(), stream.response()];
    await turn();
    stream.cancel("too slow");
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: "aborted", cause: "too slow" });
    await expect(stream.batches().next()).rejects.toMatchObject({ code: "aborted" });
  });

  test("can be left", async () => {
    const stream = never();
    const waiting = stream.next();
    await turn();
    expect((await stream.return?.())?.done).toBe(true);
    expect((await waiting).done).toBe(true);
    await expect(stream.response()).rejects.toMatchObject({ code: "aborted" });
  });

  test("is cancelled if it opens later, so that its listeners are notified", async () => {
    const { promise, resolve } = Promise.withResolvers<AnswerStream>();
    const ended = Promise.withResolvers<unknown>();
    const stream = deferStream(() => promise);
    const waiting = stream.next().catch(() => undefined);
    await turn();
    stream.cancel("too slow");
    await waiting;
    resolve(tapStream(openStream(WHOLE, true), { ended: (outcome) => ended.resolve(outcome) }));
    expect(await ended.promise).toMatchObject({ error: { code: "aborted", cause: "too slow" } });
  });
});

describe("a failing listener fails no call", () => {
  const fail = (): never => {
    throw new Error("full disk");
  };
  const failLater = async (): Promise<void> => {
    await Promise.resolve();
    fail();
  };

  test.each<[string, () => void]>([
    ["at once", fail],
    ["later", failLater],
  ])("a log that throws %s", async (_, log) => {
    const { ask: question } = setup([logging({ log })]);
    expect(await question("Hello")).toBe("answer 1");
    expect(await question("Hello", "stream")).toBe("answer 2");
    await expect(question("refuse")).rejects.toMatchObject({ code: "rate-limit" });
    await turn();
  });

  test.each([
    ["at once", fail],
    ["later", failLater],
  ])("a tap that throws %s", async (_, listen) => {
    // An async function is assignable to a `void` callback: its rejection would be unhandled.
    const tap = { deltas: listen as () => void, ended: listen };
    const { deltas, error } = await readAll(tapStream(openStream(WHOLE, false), tap));
    expect(deltas).toHaveLength(WHOLE.length);
    expect(error).toBeUndefined();
    expect((await tapStream(openStream(WHOLE, false), tap).response()).finishReason.unified).toBe("stop");
    await turn();
  });

  test("an onStoreError that throws", async () => {
    const { ask: question } = setup([caching({ store: { get: fail, set: fail }, onStoreError: fail })]);
    expect(await question("Hello")).toBe("answer 1");
    expect(await question("Hello", "stream")).toBe("answer 2");
  });
});
