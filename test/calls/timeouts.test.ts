// Time limits: each limit in its phase, without leaked resources. No test depends on real durations: a slow provider here is silent
// forever, and the time of the limits advances only under the test's control.
import { describe, expect, test } from "vitest";
import type { Client, LocalProvider, Transport } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import { computeCallTimeout } from "../../src/calls/retry-policy.ts";
import { TransportError } from "../../src/calls/transport/transport-error.ts";
import type { Delta } from "../../src/index.ts";
import type { Reply, ReplayServer } from "../../src/testkit/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { answer, delta } from "../support/deltas.ts";
import { type ManualTime, manualTime } from "./support/manual-clock.ts";
import { leavingNothing } from "./support/leak-checks.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { clientAt, providerAt, QUESTION, streamReply, wholeBody } from "./support/provider-fixtures.ts";

const whole = wholeBody("openai-chat");
const streamed = streamReply("openai-chat");
const soon = 40;

const clientIn = (time: ManualTime, server: ReplayServer): Client => clientAt(server, "openai-chat", time.options);

describe.each(["complete", "stream"] as const)("%s", (how) => {
  const reply: Reply = how === "complete" ? { body: whole } : streamed;
  const callModel = (client: Client, timeouts: object, attempts = 1) =>
    how === "complete"
      ? client.complete(QUESTION, { timeouts, retry: { attempts } })
      : client.stream(QUESTION, { timeouts, retry: { attempts } }).response();

  test("a silent server is abandoned at the limit of the call", async () => {
    await using server = await replayServer({ "*": { ...reply, stall: "headers" } });
    const time = manualTime();
    await leavingNothing(
      server,
      async () => {
        const call = callModel(clientIn(time, server), { totalMs: soon }, 3);
        const error = await errorOf(time.passInSilence(server, call));
        expect(error).toMatchObject({ code: "timeout", attempts: [{ error: { kind: "timeout" } }] });
        expect(error.message).toContain("timeouts.totalMs");
        expect(await server.requests[0]?.ended).toBe("aborted");
        expect(server.requests).toHaveLength(1);
      },
      0,
    );
  });

  test("a silent server is abandoned at the limit of the attempt, and the next attempt can succeed", async () => {
    await using server = await replayServer({ "*": [{ ...reply, stall: "headers" }, reply] });
    const time = manualTime();
    await leavingNothing(server, async () => {
      const result = await time.passInSilence(server, callModel(clientIn(time, server), { replyMs: soon }, 2), 1);
      expect(result.attempts).toMatchObject([{ error: { kind: "timeout" } }, { status: 200 }]);
      expect(result.attempts[0]?.error?.message).toContain("timeouts.replyMs");
      expect(await server.requests[0]?.ended).toBe("aborted");
    });
  });

  test.each([
    ["its reply limit", { replyMs: soon }],
    ["its own total limit", { totalMs: soon }],
    ["its own total limit during its attempts", { totalMs: soon * 2, replyMs: soon }],
  ])("a silent provider is skipped after %s", async (_, timeouts) => {
    await using server = await replayServer({ "*": { ...reply, stall: "headers" } });
    const time = manualTime();
    await leavingNothing(
      server,
      async () => {
        const there = { ...providerAt(server, "openai-chat"), timeouts };
        const providers = { there, here: { answer: () => answer() } };
        const client = createClient({ providers, retry: { attempts: 3 }, ...time.options });
        const options = { fallbacks: ["here/m"], retry: { baseMs: 0 } };
        const call =
          how === "complete" ? client.complete(QUESTION, options) : client.stream(QUESTION, options).response();
        const result = await time.passInSilence(server, call);
        expect(result.provider).toBe("here");
        expect(result.attempts[0]).toMatchObject({ provider: "there", error: { kind: "timeout" } });
      },
      0,
    );
  });

  test("a provider's own limit includes its retries and waits", async () => {
    await using server = await replayServer({ "*": { status: 503, headers: { "retry-after": "5" } } });
    const there = { ...providerAt(server, "openai-chat"), timeouts: { totalMs: 1000 } };
    const providers = { there, here: { answer: () => answer() } };
    const client = createClient({ providers, ...manualTime().options });
    const result = await client.complete(QUESTION, { fallbacks: ["here/m"] });
    expect(result.attempts.map(({ provider }) => provider)).toStrictEqual(["there", "here"]);
  });

  test("the gap limit does not apply before the headers", async () => {
    const time = manualTime();
    await using late = await replayServer(() => (time.advance(soon * 3), reply));
    expect((await callModel(clientIn(time, late), { gapMs: soon * 2 })).provider).toBe("there");
  });

  test.each([
    ["its first byte", 0],
    ["its middle", 30],
  ])("silence before %s is a timeout, and the next attempt can succeed", async (_, stall) => {
    await using server = await replayServer({ "*": [{ ...reply, stall }, reply] });
    const time = manualTime();
    await leavingNothing(server, async () => {
      const result = await time.passInSilence(server, callModel(clientIn(time, server), { gapMs: soon }, 2), 1);
      expect(result.attempts).toMatchObject([{ status: 200, error: { kind: "timeout" } }, { status: 200 }]);
      expect(result.attempts[0]?.error?.message).toContain("timeouts.gapMs");
      expect(await server.requests[0]?.ended).toBe("aborted");
    });
  });

  test("the limit of the call ends an endless reply", async () => {
    const endless = { ...reply, stall: how === "complete" ? 30 : 400 };
    await using server = await replayServer({ "*": endless });
    const time = manualTime();
    await leavingNothing(
      server,
      async () => {
        const call = callModel(clientIn(time, server), { totalMs: soon * 2 }, 3);
        const error = await errorOf(time.passInSilence(server, call));
        expect(error.code).toBe("timeout");
        expect(server.requests).toHaveLength(1);
      },
      0,
    );
  });

  test("the limit of the call ends the wait before a retry", async () => {
    await using server = await replayServer({ "*": { status: 500 } });
    const time = manualTime();
    const sleep = (_: number, signal: AbortSignal): Promise<void> => (time.passLater(soon), forever(signal));
    const client = clientAt(server, "openai-chat", { effects: { ...time.options.effects, sleep } });
    const error = await errorOf(callModel(client, { totalMs: soon }, 3));
    expect(error.code).toBe("timeout");
    expect(server.requests).toHaveLength(1);
  });
});

/** A sleep that ends only with its signal. */
function forever(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("woken"))));
}

test("a timeout in the middle of a stream is its last delta, and the error has the partial answer", async () => {
  await using server = await replayServer({ "*": { ...streamed, stall: 600 } });
  const time = manualTime();
  await leavingNothing(
    server,
    async () => {
      const stream = clientIn(time, server).stream(QUESTION, { timeouts: { gapMs: soon } });
      // Time advances once a text has arrived.
      while ((await stream.next()).value?.kind !== "text");
      const { deltas, error } = await time.passInSilence(server, readAll(stream));
      expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "timeout" } });
      expect(error?.code).toBe("timeout");
      expect(error?.partial?.message.parts[0]).toMatchObject({ type: "text" });
    },
    0,
  );
});

test("a provider's own limit ends a stream without a reader, and the next read fails", async () => {
  await using server = await replayServer({ "*": { ...streamed, stall: 600 } });
  const time = manualTime();
  await leavingNothing(
    server,
    async () => {
      const unhandled: unknown[] = [];
      const there = { ...providerAt(server, "openai-chat"), timeouts: { totalMs: soon } };
      const { effects } = time.options;
      const client = createClient({
        providers: { there },
        effects,
        onAttempt: ({ error }) => unhandled.push(error?.kind),
      });
      const stream = client.stream(QUESTION);
      await stream.next();
      time.advance(soon);
      expect(await server.requests[0]?.ended).toBe("aborted");
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toStrictEqual(["timeout"]);
      const { deltas, error } = await readAll(stream);
      expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "timeout" } });
      expect(error?.message).toContain(`${soon} ms (timeouts.totalMs)`);
    },
    0,
  );
});

test.each<[whose: string, own: object, client: object, call: object, totalMs: number]>([
  ["the call's", { totalMs: 1 }, { totalMs: 2 }, { totalMs: 3 }, 3],
  ["the client's", { totalMs: 1 }, { totalMs: 2 }, {}, 2],
  ["the default and the providers'", { totalMs: 1000 }, {}, {}, 601_000],
  ["the default", {}, {}, {}, 600_000],
])("the limit of a call is %s", (_, own, client, call, totalMs) => {
  expect(computeCallTimeout(call, client, [own, undefined])).toBe(totalMs);
});

test("a slow reader is not a silent provider", async () => {
  // In chunks, so that the answer is not complete when the reader pauses.
  await using server = await replayServer({ "*": { ...streamed, delayMs: 5 } });
  const time = manualTime();
  const stream = clientIn(time, server).stream(QUESTION, { timeouts: { gapMs: soon } });
  await stream.next();
  time.advance(soon * 3);
  expect((await readAll(stream)).error).toBeUndefined();
});

test("a reader that is slower than the limit of the call gets the timeout at its next read", async () => {
  await using server = await replayServer({ "*": { ...streamed, stall: 600 } });
  const time = manualTime();
  await leavingNothing(
    server,
    async () => {
      const stream = clientIn(time, server).stream(QUESTION, { timeouts: { totalMs: soon } });
      await stream.next();
      time.advance(soon);
      expect(await server.requests[0]?.ended).toBe("aborted");
      const { deltas, error } = await readAll(stream);
      expect(error?.code).toBe("timeout");
      expect(deltas.at(-1)?.kind).toBe("error");
    },
    0,
  );
});

test("the connection limit belongs to the transport, and its error counts", async () => {
  const limits: number[] = [];
  const transport: Transport = {
    send(_, { connectMs }) {
      limits.push(connectMs);
      return Promise.reject(new TransportError("timeout", "No connection", { stage: "connect" }));
    },
    close: () => Promise.resolve(),
  };
  const client = clientAt({ url: "http://127.0.0.1:9" }, "openai-chat", { transport });
  const error = await errorOf(client.complete(QUESTION, { timeouts: { connectMs: 77 } }));
  expect(error).toMatchObject({ code: "timeout" });
  expect(limits).toStrictEqual([77, 77, 77]);
});

describe("a local provider", () => {
  /** Yields deltas, then stays silent for a time and ignores its signal. */
  const deaf = (time: ManualTime, deltas: readonly Delta[], ms = soon): LocalProvider => ({
    async *answer() {
      yield* deltas;
      time.passLater(ms);
      await new Promise(() => undefined);
    },
  });

  test("that falls silent is abandoned", async () => {
    const partialDeltas = answer(delta("text", { textDelta: "Down" })).slice(0, -1);
    const time = manualTime();
    const client = createClient({ providers: { here: deaf(time, partialDeltas) }, ...time.options });
    const { deltas, error } = await readAll(client.stream({ model: "m", messages: [] }, { timeouts: { gapMs: soon } }));
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "text", "error"]);
    expect(error?.code).toBe("timeout");
  });

  test("that does not start is skipped for the next one", async () => {
    const time = manualTime();
    const providers = { slow: deaf(time, []), here: { answer: () => answer() } };
    const client = createClient({ providers, ...time.options });
    const options = { timeouts: { replyMs: soon }, retry: { attempts: 1 }, fallbacks: ["here/m"] };
    const result = await client.complete({ model: "slow/m", messages: [] }, options);
    expect(result.provider).toBe("here");
    expect(result.attempts[0]?.error?.message).toContain("timeouts.replyMs");
  });

  test("may be slow to start", async () => {
    const time = manualTime();
    const here: LocalProvider = {
      async *answer() {
        await new Promise((resolve) => setImmediate(resolve));
        time.advance(soon * 2);
        yield* answer();
      },
    };
    const client = createClient({ providers: { here }, ...time.options });
    expect((await client.complete({ model: "m", messages: [] }, { timeouts: { gapMs: soon } })).provider).toBe("here");
  });

  test("has its own limits, which win over the client's; those of the call win over both", async () => {
    const time = manualTime();
    const here = { ...deaf(time, [], soon + 1), timeouts: { totalMs: soon } };
    const client = createClient({ providers: { here }, timeouts: { totalMs: 60_000 }, ...time.options });
    const error = await errorOf(client.complete({ model: "m", messages: [] }));
    expect(error.message).toContain(`${soon} ms`);
    const other = await errorOf(client.complete({ model: "m", messages: [] }, { timeouts: { totalMs: soon + 1 } }));
    expect(other.message).toContain(`${soon + 1} ms`);
  });
});

test("a client whose sleep returns at once does not reach its limits sooner", async () => {
  await using server = await replayServer({ "*": [{ status: 500 }, { body: whole, delayMs: soon }] });
  const client = clientAt(server, "openai-chat", { effects: { sleep: () => Promise.resolve() } });
  expect((await client.complete(QUESTION)).attempts).toHaveLength(2);
});

test("a call without limits has no timer", async () => {
  const before = timers();
  let during = -1;
  const here: LocalProvider = { answer: () => ((during = timers()), answer()) };
  const client = createClient({
    providers: { here },
    timeouts: { totalMs: Infinity, replyMs: Infinity, gapMs: Infinity },
  });
  await client.complete({ model: "m", messages: [] });
  expect(during).toBe(before);
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}
