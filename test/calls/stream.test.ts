// Streams: every way to read an answer, and every way it can end.
import { describe, expect, test, vi } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import { createClient, defaultTransport } from "../../src/client/index.ts";
import type { Delta } from "../../src/index.ts";
import { assemble, checkDeltas, disassemble } from "../../src/index.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../src/testkit/index.ts";
import { scaleMinimum } from "../support/quick-run.ts";
import { describeStreams } from "../support/corpus.ts";
import { answer, delta } from "../support/deltas.ts";
import { CountingTransport } from "./support/counting-transport.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { leavingNothing } from "./support/leak-checks.ts";
import {
  ANSWER,
  clientAt,
  DIALECTS,
  MODEL,
  QUESTION,
  streamPieces,
  streamReply,
  theirs,
  wholeBody,
} from "./support/provider-fixtures.ts";

describe.each(DIALECTS)("%s", (id) => {
  test("B80: the deltas of a stream assemble to its response, which equals the decoded body", async () => {
    await using server = await replayServer({ "*": streamReply(id) });
    await leavingNothing(server, async () => {
      const stream = clientAt(server, id).stream(QUESTION);
      const { deltas } = await readAll(stream);
      const { provider, losses, attempts, ...response } = await stream.response();
      expect(checkDeltas(deltas)).toStrictEqual([]);
      expect(assemble(deltas)).toStrictEqual(response);
      const { metadata, ...content } = response.message;
      const decoder = theirs(id).streamDecoder();
      const direct = assemble([...streamPieces(id).flatMap((piece) => decoder.push(piece)), ...decoder.end()]);
      expect({ ...response, message: content }).toStrictEqual(direct);
      expect(metadata).toMatchObject({
        provider: "there",
        model: MODEL,
        finishReason: direct.finishReason,
        usage: direct.usage,
      });
      expect(attempts).toMatchObject([{ provider: "there", status: 200, usage: direct.usage }]);
      expect([provider, losses]).toStrictEqual(["there", attempts[0]?.losses]);
    });
    expect(await server.requests[0]?.ended).toBe("sent");
  });

  test("B74: a complete answer in place of a stream is accepted", async () => {
    await using server = await replayServer({ "*": { body: wholeBody(id) } });
    const result = await clientAt(server, id).stream(QUESTION).response();
    expect(result.message.parts).toMatchObject(ANSWER.message.parts);
  });

  test("B72: an error in the middle is a delta, and is then thrown with the partial answer", async () => {
    const failed: Delta[] = [
      ...disassemble(ANSWER).slice(0, 2),
      delta("error", { errorCode: "server", message: "Too much to do.", retryable: true }),
    ];
    await using server = await replayServer({ "*": streamReply(id, failed) });
    await leavingNothing(server, async () => {
      const stream = clientAt(server, id).stream(QUESTION);
      const { deltas, error } = await readAll(stream);
      expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { message: "Too much to do." } });
      expect(checkDeltas(deltas)).toStrictEqual([]);
      expect(error).toMatchObject({
        code: "server",
        provider: "there",
        attempts: [{ error: { kind: "server" } }],
      });
      expect(error?.partial?.message).toMatchObject({
        parts: [ANSWER.message.parts[0]],
        metadata: { interrupted: true, provider: "there", model: expect.any(String) as string },
      });
      // No retry after the first delta.
      expect(server.requests).toHaveLength(1);
      // Every reader and every further read gets the error.
      expect(await errorOf(stream.next())).toBe(error);
      expect((await readAll(stream)).error).toBe(error);
      expect(await errorOf(stream.batches().next())).toBe(error);
      expect(await errorOf(stream.response())).toBe(error);
    });
  });

  test("the connection is closed if the server does not end a reply after an error", async () => {
    const failed = [...disassemble(ANSWER).slice(0, 2), delta("error", { errorCode: "server", message: "No." })];
    const { chunks = [], ...rest } = streamReply(id, failed);
    const stall = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    await using server = await replayServer({ "*": { ...rest, chunks: [...chunks, ": more"], stall } });
    await leavingNothing(
      server,
      async () => {
        expect((await readAll(clientAt(server, id).stream(QUESTION))).error?.code).toBe("server");
        expect(await server.requests[0]?.ended).toBe("aborted");
      },
      0,
    );
  });

  test("B73: a stream that ends before its answer does is truncated", async () => {
    const pieces = streamPieces(id);
    const half = pieces.slice(0, Math.ceil(pieces.length / 2));
    await using server = await replayServer({ "*": { ...streamReply(id), chunks: half } });
    const { deltas, error } = await readAll(clientAt(server, id).stream(QUESTION, { retry: { attempts: 1 } }));
    expect(error?.code).toBe("truncated");
    expect(checkDeltas(deltas)).toStrictEqual([]);
  });
});

describe("an error before the first delta", () => {
  const started: Delta[] = [
    delta("start", { modelId: MODEL, requestId: "answer_0" }),
    delta("usage", { inputTokens: 11 }),
    delta("error", { errorCode: "overloaded", message: "Too much to do." }),
  ];

  test("B67: is not part of the answer: the request is retried, and the usage is recorded", async () => {
    await using server = await replayServer({ "*": [streamReply("anthropic", started), streamReply("anthropic")] });
    const stream = clientAt(server, "anthropic").stream(QUESTION);
    const { deltas } = await readAll(stream);
    expect(deltas.filter(({ kind }) => kind === "start")).toHaveLength(1);
    const { attempts } = await stream.response();
    expect(attempts).toMatchObject([{ error: { kind: "overloaded" }, usage: { inputTokens: 11 } }, { status: 200 }]);
    expect(attempts[1]).not.toHaveProperty("error");
  });

  test("is thrown without a delta if the retries fail", async () => {
    await using server = await replayServer({ "*": streamReply("anthropic", started) });
    const { deltas, error } = await readAll(clientAt(server, "anthropic").stream(QUESTION));
    expect(deltas).toStrictEqual([]);
    expect(error?.attempts).toHaveLength(3);
    expect(error?.partial).toBeUndefined();
  });
});

describe("reading", () => {
  const texts = ["Down ", "the ", "hill."];
  const textDeltas = answer(...texts.map((textDelta) => delta("text", { textDelta })));
  let callCount = 0;
  const slowly: LocalProvider = {
    async *answer() {
      callCount += 1;
      for (const each of textDeltas) {
        await Promise.resolve();
        yield each;
      }
    },
  };
  const stream = () => createClient({ providers: { here: slowly } }).stream({ ...QUESTION, model: "m" });
  const textOf = (deltas: readonly Delta[]) =>
    deltas.map((each) => (each.kind === "text" ? each.payload.textDelta : "")).join("");

  test("no request is sent before the first read", async () => {
    callCount = 0;
    const unread = stream();
    expect(unread.snapshot()).toBeUndefined();
    await new Promise((resolve) => setImmediate(resolve));
    expect(callCount).toBe(0);
    await unread.next();
    expect(callCount).toBe(1);
  });

  test("reading one delta at a time gives all deltas in order", async () => {
    const { deltas } = await readAll(stream());
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(textDeltas.map(({ kind }) => kind));
    expect(textOf(deltas)).toBe("Down the hill.");
  });

  test("batches give the same deltas", async () => {
    const deltas: Delta[] = [];
    for await (const batch of stream().batches()) {
      expect(batch.length).toBeGreaterThan(0);
      deltas.push(...batch);
    }
    expect(textOf(deltas)).toBe("Down the hill.");
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(textDeltas.map(({ kind }) => kind));
  });

  test("response() reads to the end, can be called again, and leaves the deltas to the iterator", async () => {
    const one = stream();
    const [first, second] = await Promise.all([one.response(), one.response()]);
    expect(second).toBe(first);
    expect(first.message.parts).toStrictEqual([{ type: "text", text: "Down the hill." }]);
    expect(textOf((await readAll(one)).deltas)).toBe("Down the hill.");
    expect(await one.response()).toBe(first);
  });

  test("a new iterator continues where the last one stopped", async () => {
    const one = stream();
    const first = await one.next();
    expect(first.value?.kind).toBe("start");
    const second = await one.next();
    const rest: Delta[] = [];
    for await (const batch of one.batches()) rest.push(...batch);
    expect(textOf([second.value as Delta, ...rest])).toBe("Down the hill.");
  });

  test("concurrent reads are served in order", async () => {
    const one = stream();
    const results = await Promise.all(Array.from({ length: textDeltas.length + 2 }, () => one.next()));
    expect(results.slice(0, textDeltas.length).map(({ value }) => (value as Delta).kind)).toStrictEqual(
      textDeltas.map(({ kind }) => kind),
    );
    expect(results.slice(textDeltas.length)).toStrictEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  test("a snapshot has the partial answer at any time", async () => {
    const one = stream();
    const seen: string[] = [];
    for await (const _ of one) seen.push(JSON.stringify(one.snapshot()?.message.parts));
    expect(seen.at(-1)).toBe('[{"type":"text","text":"Down the hill."}]');
    expect(new Set(seen).size).toBe(texts.length);
    expect(one.snapshot()?.complete).toBe(true);
  });

  test("a provider that does not wait is read in batches, and its error follows its deltas", async () => {
    const provider: LocalProvider = {
      *answer() {
        yield* textDeltas.slice(0, -1);
        throw new Error("out of memory");
      },
    };
    const one = createClient({ providers: { here: provider } }).stream({ ...QUESTION, model: "m" });
    const { deltas, error } = await readAll(one);
    expect(textOf(deltas)).toBe("Down the hill.");
    expect(error).toMatchObject({ code: "unknown", partial: { message: { metadata: { interrupted: true } } } });
    expect(error?.message).toContain("out of memory");
    expect(error?.cause).toMatchObject({ message: "out of memory" });
  });

  test("a contract violation in the middle ends the answer after the valid deltas", async () => {
    const provider: LocalProvider = {
      answer: () => [...textDeltas.slice(0, 2), delta("tool_call_end", { toolCallId: "x" })],
    };
    const one = createClient({ providers: { here: provider } }).stream({ ...QUESTION, model: "m" });
    const { deltas, error } = await readAll(one);
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "error"]);
    expect(error?.message).toContain("call-started");
  });

  test("custom deltas of a provider are delivered unchanged", async () => {
    const before = structuredClone(textDeltas);
    const provider: LocalProvider = { answer: () => textDeltas };
    const client = createClient({ providers: { here: provider } });
    const both = [
      await client.stream({ ...QUESTION, model: "m" }).response(),
      await client.complete({ ...QUESTION, model: "m" }),
    ];
    expect(both[0]?.message).toStrictEqual(both[1]?.message);
    expect(textDeltas).toStrictEqual(before);
  });
});

test("the cost of an answer is emitted before its end, and after an error", async () => {
  const prices = { "*": { input: 1_000_000, output: 1_000_000 } };
  const usage = delta("usage", { inputTokens: 2, outputTokens: 3 });
  for (const last of [
    delta("done", { finishReason: "stop" }),
    delta("error", { errorCode: "server", retryable: false }),
  ]) {
    const provider: LocalProvider = {
      answer: () => [...answer(delta("text", { textDelta: "a" }), usage).slice(0, -1), last],
    };
    const { deltas } = await readAll(
      createClient({ providers: { here: provider }, prices }).stream({ ...QUESTION, model: "m" }),
    );
    expect(deltas.slice(-2)).toMatchObject([{ kind: "usage", payload: { cost: 5 } }, { kind: last.kind }]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
  }
});

test("the connection of a completed stream is reused", async () => {
  const { chunks = [] } = streamReply("openai-chat");
  // The reply ends some time after the answer.
  await using server = await replayServer({ "*": { chunks: [...chunks, ": bye\n\n"], delayMs: 3 } });
  const transport = new CountingTransport(defaultTransport());
  const client = clientAt(server, "openai-chat", { transport });
  for (let n = 0; n < 4; n += 1) {
    // A reader that leaves with the last delta has read everything.
    for await (const { kind } of client.stream(QUESTION)) if (kind === "done") break;
    while (transport.ends <= n) await new Promise((resolve) => setImmediate(resolve));
    // undici waits for a turn of the event loop before it reuses a connection.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(server.connections).toBe(1);
  expect(await Promise.all(server.requests.map(({ ended }) => ended))).toStrictEqual(Array(4).fill("sent"));
});

test("every timer of a call is cleared at its end", async () => {
  await using server = await replayServer({ "*": streamReply("openai-chat") });
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  await clientAt(server).stream(QUESTION).response();
  await server.requests[0]?.ended;
  await new Promise((resolve) => setImmediate(resolve));
  const cleared = new Set(clear.mock.calls.map(([timer]) => timer));
  // Handles without a reference belong to the pool and do not keep the process alive.
  const timers = set.mock.results.map(({ value }) => value as NodeJS.Timeout).filter((timer) => timer.hasRef());
  vi.restoreAllMocks();
  expect(timers.length).toBeGreaterThan(0);
  expect(timers.filter((timer) => !cleared.has(timer))).toStrictEqual([]);
});

test("the connection is closed if the server does not end a reply after its answer", async () => {
  const { chunks = [] } = streamReply("openai-chat");
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  await using server = await replayServer({ "*": { chunks: [...chunks, ": more"], stall: length } });
  await leavingNothing(server, () => clientAt(server).stream(QUESTION).response(), 0);
  expect(await server.requests[0]?.ended).toBe("aborted");
});

describeStreams((streams) => {
  const http = DIALECTS.flatMap((id) => (streams.get(id) ?? []).map((stream) => ({ id, stream })));

  test("recorded streams over HTTP, in any chunks, are decoded as usual", async () => {
    expect(http.length).toBeGreaterThan(scaleMinimum(50));
    const random = seededRandom(11);
    const replies = new Map<string, Reply>();
    await using server = await replayServer(
      (request) => replies.get(request.headers["x-case"] ?? "") ?? { status: 500 },
    );
    for (const { id, stream } of http) {
      const wire = theirs(id);
      const events = stream.events.map((event) =>
        // A recording has events with envelopes, or the data alone.
        id === "bedrock"
          ? wire.formatEvent({ data: event as object })
          : `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
      );
      const bytes = Buffer.concat(events.map((event) => Buffer.from(event)));
      replies.set(stream.name, {
        chunks: cutRandomly(bytes, random, 4000),
        headers: { "content-type": "text/event-stream" },
      });
      const decoder = wire.streamDecoder();
      const all = [...decoder.push(bytes), ...decoder.end()];
      // Some recordings have several answers; a reply has one.
      const direct = all.slice(0, all.findIndex(({ kind }) => kind === "done" || kind === "error") + 1);
      const options = { headers: { "x-case": stream.name }, retry: { attempts: 1 } };
      const { deltas, error } = await readAll(clientAt(server, id).stream(QUESTION, options));
      const hasContent = direct.some(({ kind }) => kind !== "start" && kind !== "usage" && kind !== "error");
      expect(unmarked(deltas), stream.name).toStrictEqual(hasContent ? unmarked(direct) : []);
      expect(error?.code === undefined, stream.name).toBe(direct.at(-1)?.kind === "done");
    }
  });
});

/** Returns the deltas without the client's additions and with joined texts, because chunks can cut them anywhere. */
function unmarked(deltas: readonly Delta[]): unknown {
  return deltas.map((each) => {
    const { message, ...payload } = each.payload as { message?: { metadata?: object } };
    if (typeof message !== "object") return each;
    const { metadata: _, ...rest } = message;
    return { ...each, payload: Object.keys(rest).length > 0 ? { ...payload, message: rest } : payload };
  });
}
