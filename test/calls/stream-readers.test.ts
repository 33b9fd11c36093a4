// Streams that are ended after their answer is complete, read by several readers, or read late: a partial answer never looks
// complete, and the cost of reading stays linear.
import { describe, expect, test } from "vitest";
import { BatchQueue } from "../../src/calls/batch-queue.ts";
import type { AnswerStream, CallOptions, LocalProvider } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../src/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { answer, delta } from "../support/deltas.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { clientAt, QUESTION, streamReply } from "./support/provider-fixtures.ts";

const ASK: ModelRequest = { model: "m", messages: [] };
const REASON = new Error("The reader went home");
const nineDeltas = answer(...Array.from({ length: 9 }, () => delta("text", { textDelta: "a" })));
const here: LocalProvider = { answer: () => nineDeltas };
const stream = (options?: CallOptions): AnswerStream => createClient({ providers: { here } }).stream(ASK, options);

describe("a complete answer that was not read", () => {
  const WAYS: [how: string, end: (it: AnswerStream, controller: AbortController) => void][] = [
    ["cancel", (it) => it.cancel(REASON)],
    ["the call's signal", (_, controller) => controller.abort(REASON)],
  ];
  const READ: [how: string, next: (it: AnswerStream) => Promise<unknown>][] = [
    ["deltas", (it) => it.next()],
    ["batches", (it) => it.batches().next()],
  ];

  test.each(WAYS.flatMap(([way, end]) => READ.map(([how, next]) => [way, how, end, next] as const)))(
    "%s drops the rest, and every read %s fails; the answer remains",
    async (_, __, end, next) => {
      const controller = new AbortController();
      const one = stream({ signal: controller.signal });
      const first = await one.next();
      const whole = await one.response();
      end(one, controller);
      expect(first.value?.kind).toBe("start");
      const error = await errorOf(next(one));
      expect(error).toMatchObject({ code: "aborted", cause: REASON, provider: "here" });
      expect(await errorOf(next(one))).toBe(error);
      expect(await one.response()).toBe(whole);
    },
  );

  test.each(WAYS)("%s has no effect after everything was read", async (_, end) => {
    const controller = new AbortController();
    const one = stream({ signal: controller.signal });
    expect((await readAll(one)).deltas).toHaveLength(nineDeltas.length);
    end(one, controller);
    expect(await one.next()).toStrictEqual({ done: true, value: undefined });
    expect((await readAll(one)).error).toBeUndefined();
  });

  test("a reader who leaves it gets an end and no error", async () => {
    const one = stream();
    await one.response();
    await one.return?.();
    expect(await one.next()).toStrictEqual({ done: true, value: undefined });
    expect((await one.response()).provider).toBe("here");
  });
});

test("an abort at the moment of completion reaches the reader", async () => {
  const controller = new AbortController();
  const provider: LocalProvider = {
    *answer() {
      yield* nineDeltas.slice(0, -1);
      controller.abort(REASON);
      yield* nineDeltas.slice(-1);
    },
  };
  const client = createClient({ providers: { here: provider } });
  const one = client.stream(ASK, { signal: controller.signal });
  const batches: Delta[] = [];
  const reading = async (): Promise<void> => {
    for await (const batch of one.batches()) batches.push(...batch);
  };
  expect((await errorOf(reading())).code).toBe("aborted");
  expect(batches.at(-1)?.kind).not.toBe("done");
});

test("all readers of a truncated answer get its error", async () => {
  await using server = await replayServer({ "*": { ...streamReply("openai-chat"), reset: 600, delayMs: 2 } });
  const one = clientAt(server).stream(QUESTION, { retry: { attempts: 1 } });
  const [first, second] = await Promise.all([readAll(one), readAll(one)]);
  const third = await readAll(one);
  expect(first.error?.code).toBe("network");
  expect([second.error, third.error]).toStrictEqual([first.error, first.error]);
});

test("reads that overlap receive the deltas in the order of the calls", async () => {
  const order: string[] = [];
  const one = stream();
  const read = async (name: string): Promise<void> => {
    const { value } = await one.next();
    // The client adds the provider to the first delta, which is therefore another object.
    order.push(`${name} ${value?.kind === "start" ? 0 : nineDeltas.indexOf(value as Delta)}`);
  };
  // The third read begins when the first one has its delta and the second one still waits.
  await Promise.all([read("first").then(() => read("third")), read("second")]);
  expect(order.toSorted()).toStrictEqual(["first 0", "second 1", "third 2"]);
});

describe("the queue of deltas", () => {
  /** Deltas that contain their own index. */
  const numbered = (from: number, count: number): Delta[] =>
    Array.from({ length: count }, (_, index) => delta("text", { textDelta: String(from + index) }));
  const textOf = (one: Delta | undefined): string => (one?.kind === "text" ? one.payload.textDelta : "");

  test("delivers in order, for any sequence of writes and reads", () => {
    const queue = new BatchQueue();
    const taken: string[] = [];
    let put = 0;
    for (let round = 0; round < 500; round += 1) {
      const size = (round * 7) % 5;
      queue.push(numbered(put, size));
      put += size;
      if (round % 3 === 0) taken.push(textOf(queue.shift()));
      if (round % 11 === 0) taken.push(...queue.shiftBatch().map(textOf));
    }
    while (!queue.isEmpty) taken.push(textOf(queue.shift()));
    expect(taken.filter((text) => text !== "")).toStrictEqual(Array.from({ length: put }, (_, index) => String(index)));
    expect(queue.shift()).toBeUndefined();
    expect(queue.shiftBatch()).toStrictEqual([]);
  });

  test("delivers many deltas in linear time", () => {
    const count = 1_000_000;
    const queue = new BatchQueue();
    const batch = numbered(0, 1);
    for (let index = 0; index < count; index += 1) queue.push(batch);
    let taken = 0;
    while (queue.shift() !== undefined) taken += 1;
    expect(taken).toBe(count);
  });
});
