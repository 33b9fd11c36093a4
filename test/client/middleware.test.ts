// Koine's own middleware: logging and budget. Caching has its own file.
import { describe, expect, test } from "vitest";
import type { Delta } from "koine";
import { user } from "koine";
import type {
  AnswerStream,
  BudgetLimits,
  CallOptions,
  Client,
  HttpRequest,
  LogEntry,
  SendOptions,
  Transport,
} from "koine/client";
import { budget, caching, defaultTransport, describeEntry, logging, TransportError } from "koine/client";
import { defaultTransport as fetching } from "../../src/calls/transport/fetch.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import type { Setup } from "./support/counting-provider.ts";
import { counting, setup, textOf, USAGE } from "./support/counting-provider.ts";
import { manualTime } from "../calls/support/manual-clock.ts";
import { errorOf } from "../calls/support/thrown-errors.ts";
import { clientAt, QUESTION, streamReply } from "../calls/support/provider-fixtures.ts";

describe("logging", () => {
  function logged(content = false): { entries: LogEntry[]; ask: Setup["ask"]; client: Client } {
    const entries: LogEntry[] = [];
    let now = 0;
    const log = logging({ log: (entry) => entries.push(entry), content, clock: () => (now += 5) });
    return { entries, ...setup([log]) };
  }

  test.each(["complete", "stream"] as const)(
    "%s: an entry has the provider, the end, the duration and the cost",
    async (mode) => {
      const { entries, ask } = logged();
      await ask("Hello", mode);
      expect(entries).toMatchObject([
        {
          mode,
          requestedModel: "m",
          provider: "near",
          model: "m-1",
          finishReason: { unified: "stop" },
          usage: { ...USAGE, cost: 2 },
          losses: 0,
        },
      ]);
      expect(entries[0]?.durationMs).toBeGreaterThan(0);
      expect(entries[0]?.firstDeltaMs !== undefined).toBe(mode === "stream");
      expect(JSON.stringify(entries)).not.toContain("Hello");
      expect(JSON.stringify(entries)).not.toContain("answer");
    },
  );

  test("B67: an entry of a failed call has every attempt and their total usage", async () => {
    const { entries, ask } = logged();
    await expect(ask("break")).rejects.toThrow();
    await expect(ask("break", "stream")).rejects.toThrow();
    expect(entries.map(({ error }) => error?.code)).toStrictEqual(["overloaded", "overloaded"]);
    for (const { attempts, usage, provider } of entries) {
      expect(provider).toBe("near");
      expect(usage?.inputTokens).toBe(USAGE.inputTokens * attempts.length);
    }
    expect(entries[0]?.attempts).toHaveLength(2);
  });

  test("the option content adds the request and the answer to an entry", async () => {
    const { entries, ask } = logged(true);
    await ask("Hello", "stream");
    expect(textOf(entries[0]?.call?.request.messages[0]?.parts ?? [])).toBe("Hello");
    expect(textOf(entries[0]?.answer?.message.parts ?? [])).toBe("answer 1");
  });

  test("a stream that its reader left is logged as aborted", async () => {
    const { entries, client } = logged();
    for await (const _ of client.stream({ model: "m", messages: [user("Hello")] })) break;
    expect(entries.map(({ error }) => error?.code)).toStrictEqual(["aborted"]);
  });

  test("an error message of a provider is truncated, and its raw reply is omitted because it may contain the answer", async () => {
    const longText = "The harbour is down the hill. ".repeat(20);
    const broken = '{"id":"1","choices":[{"message":{"content":"The harbour is';
    await using server = await replayServer({
      "*": [{ body: broken }, { status: 400, body: { error: { message: `I cannot read: ${longText}` } } }],
    });
    const entries = { brief: [] as LogEntry[], all: [] as LogEntry[] };
    const middleware = [
      logging((entry) => void entries.brief.push(entry)),
      logging({ log: (entry) => entries.all.push(entry), content: true }),
    ];
    const client = clientAt(server, "openai-chat", { middleware, retry: { attempts: 1 } });
    await errorOf(client.complete(QUESTION));
    await errorOf(client.complete(QUESTION));
    const [first, second] = entries.brief;
    expect(JSON.stringify(first)).not.toContain("harbour");
    expect(first?.attempts).toMatchObject([{ status: 200, error: { kind: "truncated" } }]);
    expect(JSON.stringify(second)).toContain("I cannot read: The harbour");
    expect(JSON.stringify(second)).not.toContain(longText.trim());
    expect(second?.attempts[0]?.error).not.toHaveProperty("raw");
    expect(entries.all[0]?.attempts[0]?.error?.raw).toBe(broken);
    expect(entries.all[1]?.error?.message).toContain(longText.trim());
  });

  test("headers of a call are never logged because they may contain keys", async () => {
    const { entries, ask } = logged(true);
    await ask("Hello", "complete", { headers: { authorization: "Bearer of-the-caller" }, metadata: { user: "ada" } });
    expect(entries[0]?.call?.options).toStrictEqual({ metadata: { user: "ada" } });
    expect(JSON.stringify(entries)).not.toContain("of-the-caller");
  });

  test("describeEntry makes one line of an entry", async () => {
    const { entries, ask } = logged();
    await ask("Hello");
    await expect(ask("refuse")).rejects.toThrow();
    expect(entries.map(describeEntry)).toStrictEqual([
      "near/m-1, complete, stop, 5 ms, 1000 → 100 tokens, $2.0000",
      "near/m, complete, failed (rate-limit), 5 ms, 2 attempts",
    ]);
  });

  test("an answer from the cache is logged as such", async () => {
    const lines: string[] = [];
    const { ask } = setup([logging({ log: (entry) => lines.push(describeEntry(entry)) }), caching()]);
    await ask("Hello");
    await ask("Hello", "stream");
    expect(lines[1]).toMatch(/^near\/m-1, stream, stop, \d+ ms, no attempt$/);
  });
});

const BROKEN: readonly Delta[] = [
  { kind: "start", payload: { modelId: "m-1", requestId: "r1" } },
  { kind: "text", payload: { textDelta: "The harbour" } },
  { kind: "error", payload: { errorCode: "overloaded", message: "Too much." } },
];

describe("budget", () => {
  test.each(["complete", "stream"] as const)("%s: no request is sent after a limit is reached", async (mode) => {
    for (const limit of [
      { cost: 3 },
      { totalTokens: 2000 },
      { inputTokens: 1500 },
      { outputTokens: 101 },
      { calls: 2 },
    ]) {
      const guard = budget(limit);
      const { ask, provider } = setup([guard]);
      await ask("one", mode);
      await ask("two", mode);
      await expect(ask("three", mode)).rejects.toMatchObject({ code: "budget", path: `/${Object.keys(limit)[0]}` });
      expect(provider.callCount).toBe(2);
      expect(guard.spent).toStrictEqual({
        inputTokens: 2000,
        outputTokens: 200,
        totalTokens: 2200,
        cost: 4,
        calls: 2,
      });
      guard.reset();
      await ask("three", mode);
      expect(guard.spent.calls).toBe(1);
    }
  });

  test("B67: failed attempts count", async () => {
    const guard = budget({ cost: 100 });
    const { ask } = setup([guard]);
    await expect(ask("break")).rejects.toThrow();
    expect(guard.spent.cost).toBe(4);
    await expect(ask("break", "stream")).rejects.toThrow();
    expect(guard.spent.cost).toBe(6);
  });

  test("B67: a stream that its reader left counts with the usage it had reported", async () => {
    const guard = budget({ cost: 100 });
    const { client } = setup([guard]);
    for await (const { kind } of client.stream({ model: "m", messages: [user("Hello")] })) if (kind === "usage") break;
    expect(guard.spent).toMatchObject({ inputTokens: USAGE.inputTokens, cost: 2 });
  });

  test("an answer from the cache counts as free", async () => {
    const guard = budget({ cost: 3 });
    const { ask } = setup([guard, caching()]);
    for (let time = 0; time < 5; time++) await ask("Hello");
    expect(guard.spent).toMatchObject({ cost: 2, calls: 5 });
  });

  test.each<[string, ReturnType<typeof counting>, boolean, BudgetLimits, RegExp]>([
    [
      "a price",
      counting(),
      false,
      { cost: 5 },
      /usage of near\/m is unknown.* \(cost\) cannot be enforced\. Add its price to `prices`/,
    ],
    ["any usage", counting(null), true, { totalTokens: 5000 }, /usage of near\/m is unknown.* \(totalTokens\)/],
  ])(
    "a budget without %s rejects calls because it cannot measure its limit",
    async (_, provider, priced, limit, message) => {
      const { ask } = setup([budget(limit)], provider, priced);
      await ask("one");
      await expect(ask("two")).rejects.toMatchObject({ code: "budget", message: expect.stringMatching(message) });
      const lenient = setup([budget({ ...limit, unknown: "ignore" })], provider, priced);
      await lenient.ask("one");
      await expect(lenient.ask("two")).resolves.not.toBe("");
    },
  );

  test("a rejected call without usage is free", async () => {
    const guard = budget({ cost: 5, totalTokens: 5000 });
    const { ask } = setup([guard]);
    await expect(ask("refuse")).rejects.toMatchObject({ code: "rate-limit" });
    await expect(ask("one")).resolves.toBe("answer 3");
  });

  test("a stream without a reader is free", async () => {
    const guard = budget({ calls: 1 });
    const { client, ask } = setup([guard]);
    const unread: AnswerStream = client.stream({ model: "m", messages: [user("Hello")] });
    await ask("one");
    await expect(unread.next()).rejects.toMatchObject({ code: "budget" });
  });

  test.each<[string, string, BudgetLimits]>([
    ["tokens", "totalTokens", { totalTokens: 5000 }],
    ["money", "cost", { cost: 5 }],
  ])("streams that are left before they report usage are not counted as free: %s", async (_, name, limit) => {
    const leave = async ({ client }: Setup): Promise<void> => {
      const stream = client.stream({ model: "m", messages: [user("Hello")] });
      for await (const { kind } of stream) if (kind === "text") break;
    };
    const strict = setup([budget(limit)]);
    await leave(strict);
    const message = expect.stringMatching(/usage of near\/m is unknown.* \(it broke off\)\. Read answers to their end/);
    await expect(leave(strict)).rejects.toMatchObject({ code: "budget", path: `/${name}`, message });
    expect(strict.provider.callCount).toBe(1);
    const lenient = setup([budget({ ...limit, unknown: "ignore" })]);
    await leave(lenient);
    await leave(lenient);
    expect(lenient.provider.callCount).toBe(2);
  });

  test.each<[string, Reply, boolean]>([
    ["an error with a status", { status: 500, body: { error: { message: "no" } } }, true],
    ["an error in a reply with status 200", { body: { error: { message: "no", code: 429 } } }, true],
    ["a connection that breaks before a reply", { reset: "headers" }, true],
    ["an error after the first text", streamReply("openai-chat", BROKEN), false],
    ["a truncated reply", { body: '{"id":"1","choices":[{"mess' }, false],
  ])("failed attempts without output count if they may be billed: %s", async (_, reply, isFree) => {
    await using server = await replayServer({ "*": reply });
    const client = clientAt(server, "openai-chat", {
      middleware: [budget({ totalTokens: 5000 })],
      retry: { attempts: 1 },
    });
    const codes = [await errorOf(client.complete(QUESTION)), await errorOf(client.complete(QUESTION))];
    expect(codes[0]?.code).not.toBe("budget");
    expect(codes[1]?.code === "budget").toBe(!isFree);
    expect(codes[0]?.attempts.map(({ mayBeBilled: begun }) => begun)).toStrictEqual([isFree ? undefined : true]);
  });

  const here = defaultTransport();
  const refused = new TransportError("network", "Nothing listens there.", { stage: "connect" });
  const lost = new TransportError("network", "It hung up.", { stage: "headers" });
  const waiting = (_: HttpRequest, { signal, onSent: sent }: SendOptions, isSent: boolean): Promise<never> => {
    if (isSent) sent?.();
    return new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  };
  test.each<[string, Transport["send"], boolean]>([
    ["no connection", () => Promise.reject(refused), true],
    ["a lost connection", () => Promise.reject(lost), true],
    ["ended before it was sent", (request, limits) => waiting(request, limits, false), true],
    ["ended after it was sent", (request, limits) => waiting(request, limits, true), false],
    ["ended after it was sent over undici", (...sent) => here.send(...sent), false],
    ["ended after it was sent with fetch", (...sent) => fetching().send(...sent), false],
  ])("a request that was sent may be billed: %s", async (_, send, isFree) => {
    await using server = await replayServer({ "*": { stall: "headers" } });
    const limited = budget({ totalTokens: 5000 });
    const time = manualTime();
    let endCall = (): void => undefined;
    // The call ends after its request was sent; one that is never sent ends at once.
    const sending: Transport["send"] = (request, limits) => {
      if (isFree) endCall();
      return send(request, { ...limits, onSent: () => (limits.onSent?.(), isFree || endCall()) });
    };
    const client = clientAt(server, "openai-chat", {
      middleware: [limited],
      retry: { attempts: 1 },
      transport: { send: sending, close: () => here.close() },
      effects: time.options.effects,
    });
    const caller = new AbortController();
    const ways: [end: () => void, options: CallOptions][] = [
      [() => time.advance(150), { timeouts: { totalMs: 150 } }],
      [() => caller.abort(), { signal: caller.signal }],
    ];
    for (const [end, options] of ways) {
      endCall = () => void setImmediate(end);
      const { attempts } = await errorOf(client.complete(QUESTION, options));
      expect(attempts.map(({ mayBeBilled: begun }) => begun)).toStrictEqual([isFree ? undefined : true]);
      limited.reset();
    }
  });
});
