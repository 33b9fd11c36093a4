// The demo's seal checks, errors on command, and delays.
import { describe, expect, test } from "vitest";
import type { Delta, Message, Part } from "koine";
import { checkDeltas, editPart, PROVIDER_ERROR_KINDS, user } from "koine";
import type { DemoOptions } from "koine/client";
import { ClientError, createClient, demo } from "koine/client";
import { manualTime } from "../calls/support/manual-clock.ts";
import { requireError } from "../support/require-error.ts";
import type { Rest } from "./support/demo-answers.ts";
import { withResults, answerDemo, deltasOf, signal, tools, readText } from "./support/demo-answers.ts";

describe("seals", () => {
  const question = [user("think call weather then clock")];
  const first = answerDemo(question, { tools });
  const history = withResults(question, first);

  function withReasoning(change: (part: Part) => Part[]): Message[] {
    return history.map((message) => ({
      ...message,
      parts: message.parts.flatMap((part) => (part.type === "reasoning" ? change(part) : [part])),
    }));
  }

  test("unchanged reasoning is accepted in the history", () => {
    const second = answerDemo(history, { tools });
    expect(readText(second, "reasoning")).toContain("The tools have answered.");
    expect(answerDemo(withResults(history, second), { tools }).finishReason.unified).toBe("stop");
  });

  test.each<[string, (part: Part) => Part[]]>([
    ["changed reasoning", (part) => [{ ...part, text: "Something else." } as Part]],
    ["missing reasoning before calls", () => []],
    ["a missing signature before calls", (part) => [editPart(part, { seals: undefined })]],
    [
      "an altered signature",
      (part) => [{ ...part, seals: (part.seals ?? []).map((seal) => ({ ...seal, value: `${seal.value}0` })) }],
    ],
    [
      "a signature of another issuer",
      (part) => [{ ...part, seals: (part.seals ?? []).map((seal) => ({ ...seal, provider: "other" })) }],
    ],
  ])("%s is rejected as a provider would reject it", (_, change) => {
    const error = requireError(ClientError, () => answerDemo(withReasoning(change), { tools }));
    expect(error).toMatchObject({ code: "invalid-request", status: 400, kind: "invalid-request" });
    expect(error.path).toMatch(/^\/messages\/1/);
  });

  test.each<[string, Message[], Rest, DemoOptions]>([
    ["reasoning may be missing in earlier turns", [...withReasoning(() => []), user("and now?")], {}, {}],
    [
      "calls of another issuer need no reasoning",
      withReasoning((part) => [editPart(part, { seals: undefined })]),
      {},
      { issuer: "other" },
    ],
    ["no reasoning is needed if reasoning is off", withReasoning(() => []), { reasoning: { effort: "none" } }, {}],
  ])("%s", (_, messages, rest, options) => {
    expect(answerDemo(messages, { tools, ...rest }, options).message.parts).not.toStrictEqual([]);
  });

  test("a request can turn reasoning on", () => {
    const answer = answerDemo("hello", { reasoning: { effort: "low" } });
    expect(answer.message.parts.map(({ type }) => type)).toStrictEqual(["reasoning", "text"]);
    expect(answer.usage?.reasoningTokens).toBeGreaterThan(0);
  });
});

describe("failures", () => {
  test.each(PROVIDER_ERROR_KINDS)("`error %s` fails before the first delta, or midway", (kind) => {
    const error = requireError(ClientError, () => deltasOf(`error ${kind}`));
    expect(error.error?.kind).toBe(kind);
    const deltas = deltasOf(`error ${kind} midway`);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: kind, message: error.message } });
    expect(deltas.filter((delta) => delta.kind === "text").length).toBeGreaterThan(1);
    // B67: the usage is still reported.
    expect(deltas.at(-2)).toMatchObject({ kind: "usage" });
  });
});

describe("time", () => {
  /** Waits that end at once, and their durations. */
  function recordedSleep(): { sleep: NonNullable<DemoOptions["sleep"]>; waits: number[] } {
    const waits: number[] = [];
    return { waits, sleep: async (ms, wait) => void (wait.throwIfAborted(), waits.push(ms)) };
  }

  async function collect(message: string, options: DemoOptions): Promise<Delta[]> {
    const deltas: Delta[] = [];
    for await (const delta of demo(options).answer({ messages: [user(message)] }, { signal })) deltas.push(delta);
    return deltas;
  }

  test.each<[string, string, number | undefined, number]>([
    ["the delay passes before every delta", "hello", 20, 20],
    ["`slow` takes its time", "slow hello", undefined, 200],
    ["a longer delay has precedence over `slow`", "slow hello", 500, 500],
  ])("%s", async (_, message, delayMs, wait) => {
    const { sleep, waits } = recordedSleep();
    const deltas = await collect(message, { delayMs, sleep });
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(waits).toStrictEqual(deltas.map(() => wait));
  });

  test("`stall` emits a text, then no further delta until the caller aborts", async () => {
    const controller = new AbortController();
    const received: Delta[] = [];
    const stalled = (async () => {
      for await (const delta of demo().answer({ messages: [user("stall")] }, controller)) {
        received.push(delta);
        if (delta.kind === "text") setImmediate(() => controller.abort(new Error("enough")));
      }
    })();
    await expect(stalled).rejects.toThrow("enough");
    expect(received.at(-1)?.kind).toBe("text");
  });
});

describe("through a client", () => {
  const model = "demo/koine";
  const client = createClient({
    providers: { demo: demo(), other: demo({ issuer: "other" }) },
    retry: { attempts: 1 },
  });

  test.each(PROVIDER_ERROR_KINDS)(
    "%s arrives as an error of that code, before the first delta and midway",
    async (kind) => {
      for (const message of [`error ${kind}`, `error ${kind} midway`]) {
        const failed = client.complete({ model, messages: [user(message)] });
        await expect(failed).rejects.toMatchObject({ name: "ClientError", code: kind, provider: "demo" });
      }
    },
  );

  test("two demos answer in turn in one conversation, each with its own signatures", async () => {
    const messages: Message[] = [];
    for (const name of ["demo", "other", "demo", "other"]) {
      messages.push(user("think call clock"));
      for (let step = 0; step < 2; step++) {
        const answer = await client.complete({ model: `${name}/koine`, messages, tools });
        messages.splice(0, Infinity, ...withResults(messages, answer));
      }
    }
    const issuers = messages.flatMap(({ parts }) =>
      parts.flatMap(({ seals = [] }) => seals.map((seal) => seal.provider)),
    );
    expect(issuers).toStrictEqual(["demo", "demo", "other", "other", "demo", "demo", "other", "other"]);
  });

  test("an object matches its schema", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, celsius: { type: "number", minimum: -90 } },
      required: ["city", "celsius"],
    };
    const { object } = await client.generateObject({ model, messages: [user("How is the weather?")], schema });
    expect(object).toStrictEqual({ city: "Corinth", celsius: 1 });
  });

  test("a stalled answer ends at its timeout, and the error contains the partial answer", async () => {
    const time = manualTime();
    const sleep = (_: number, wait: AbortSignal): Promise<never> => {
      time.passLater(20);
      return new Promise((__, reject) => wait.addEventListener("abort", () => reject(wait.reason as Error)));
    };
    const stalling = createClient({ providers: { demo: demo({ sleep }) }, ...time.options });
    const failed = stalling.complete({ model, messages: [user("stall")] }, { timeouts: { gapMs: 20 } });
    await expect(failed).rejects.toMatchObject({
      code: "timeout",
      partial: { message: { parts: [{ type: "text", text: "One moment " }], metadata: { interrupted: true } } },
    });
  });
});
