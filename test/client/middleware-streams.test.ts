// Streams from middleware: readers see the same as with a stream of the client itself.
import { describe, expect, test } from "vitest";
import type { Delta } from "koine";
import { assemble, user } from "koine";
import type { Answer, AnswerStream, LocalProvider } from "koine/client";
import { ClientError, createClient, deferStream, replayAnswer, tapStream } from "koine/client";

const START: Delta = { kind: "start", payload: { modelId: "m-1", requestId: "r1" } };
const textDelta = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });
const USAGE: Delta = { kind: "usage", payload: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } };
const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
const BROKEN: Delta = { kind: "error", payload: { errorCode: "overloaded", message: "Too much." } };

const SCRIPTS = {
  "a whole answer": [START, textDelta("a"), textDelta("b"), textDelta("c"), USAGE, DONE],
  "an answer that fails in the middle": [START, textDelta("a"), USAGE, BROKEN],
  "an answer that fails at once": [START, BROKEN],
} satisfies Record<string, Delta[]>;

/** A provider that waits before each delta, so that they arrive one by one; or not, so that they arrive together. */
function scripted(deltas: readonly Delta[], together: boolean): LocalProvider {
  return {
    answer: () => (together ? deltas : slowly(deltas)),
    retry: { attempts: 1 },
  };
}
async function* slowly(deltas: readonly Delta[]): AsyncGenerator<Delta> {
  for (const delta of deltas) {
    await Promise.resolve();
    yield delta;
  }
}

const silent = { ended: () => undefined, deltas: () => undefined };
const WRAPPERS: Record<string, (open: () => AnswerStream) => AnswerStream> = {
  tapped: (open) => tapStream(open(), silent),
  deferred: (open) => deferStream(open),
  "deferred for a while": (open) => deferStream(async () => Promise.resolve().then(open)),
  "tapped, deferred and tapped": (open) =>
    tapStream(
      deferStream(() => tapStream(open(), silent)),
      silent,
    ),
};

/** Returns the deltas and the error of one way of reading. */
type Reading = (stream: AnswerStream, log: (what: unknown) => void) => Promise<void>;

async function readAll(stream: AnswerStream, log: (what: unknown) => void): Promise<void> {
  for await (const { kind } of stream) log(kind);
}

const READINGS: Record<string, Reading> = {
  "one delta after the other": readAll,
  "in batches": async (stream, log) => {
    for await (const batch of stream.batches()) for (const { kind } of batch) log(kind);
  },
  "one by one, then in batches, then one by one": async (stream, log) => {
    log((await stream.next()).value?.kind);
    log((await stream.next()).value?.kind);
    const batches = stream.batches();
    for (const { kind } of (await batches.next()).value ?? []) log(kind);
    await readAll(stream, log);
  },
  "several at the same time": async (stream, log) => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => stream.next()));
    log(results.map((result) => (result.status === "fulfilled" ? result.value.value?.kind : result.status)));
  },
  "only the answer, twice": async (stream, log) => {
    const first = await stream.response().catch(facts);
    log(facts(first));
    log(
      (await stream.response().catch((error: unknown) => error)) instanceof Error ||
        first === (await stream.response()),
    );
  },
  "the answer, then the deltas": async (stream, log) => {
    log(facts(await stream.response().catch((error: unknown) => error)));
    await readAll(stream, log);
  },
  "the deltas, then the answer": async (stream, log) => {
    await readAll(stream, log).catch((error: unknown) => log(facts(error)));
    log(facts(await stream.response().catch((error: unknown) => error)));
    log((await stream.next()).done);
  },
  "until a reader leaves": async (stream, log) => {
    for await (const { kind } of stream) {
      log(kind);
      if (kind === "text") break;
    }
    log((await stream.next()).done);
    log(facts(await stream.response().catch((error: unknown) => error)));
  },
  "until a reader leaves the batches": async (stream, log) => {
    for await (const batch of stream.batches()) {
      log(batch.length > 0);
      break;
    }
    log((await stream.next()).done);
  },
  "with await using": async (stream, log) => {
    {
      await using scoped = stream;
      log((await scoped.next()).value?.kind);
    }
    log((await stream.next()).done);
  },
  "cancelled before it begins": async (stream, log) => {
    stream.cancel("no");
    log(facts(await stream.next().catch((error: unknown) => error)));
    log(facts(await stream.response().catch((error: unknown) => error)));
  },
  "left before it begins": async (stream, log) => {
    await stream.return?.();
    log((await stream.next()).done);
    log(facts(await stream.response().catch((error: unknown) => error)));
  },
  "cancelled at its end": async (stream, log) => {
    await stream.response().catch(() => undefined);
    stream.cancel();
    log(facts(await stream.response().catch((error: unknown) => error)));
  },
  "and cancelled after the first delta": async (stream, log) => {
    log((await stream.next()).value?.kind);
    stream.cancel("enough");
    for (let time = 0; time < 2; time++) log(facts(await stream.next().catch((error: unknown) => error)));
    log(
      facts(
        await stream
          .batches()
          .next()
          .catch((error: unknown) => error),
      ),
    );
  },
  "whole, and cancelled before the deltas are read": async (stream, log) => {
    log(facts(await stream.response().catch((error: unknown) => error)));
    stream.cancel("enough");
    log(facts(await stream.next().catch((error: unknown) => error)));
    log(facts(await stream.response().catch((error: unknown) => error)));
  },
  "with snapshots of the partial answer": async (stream, log) => {
    log(stream.snapshot());
    for await (const { kind } of stream) if (kind === "done") log(stream.snapshot());
  },
};

/** Returns the fields of an answer or an error that must be equal. */
function facts(outcome: unknown): unknown {
  if (outcome instanceof ClientError) return { code: outcome.code, partial: outcome.partial?.message.parts };
  if (outcome instanceof Error || typeof outcome !== "object" || outcome === null) return outcome;
  if (!("message" in outcome)) return outcome;
  const { message, usage } = outcome as Answer;
  return { parts: message.parts, usage, metadata: message.metadata };
}

async function observe(stream: AnswerStream, read: Reading): Promise<unknown[]> {
  const seen: unknown[] = [];
  await read(stream, (what) => seen.push(what)).catch((error: unknown) => seen.push({ thrown: facts(error) }));
  return seen;
}

function open(deltas: readonly Delta[], together: boolean): AnswerStream {
  const client = createClient({ providers: { near: scripted(deltas, together) } });
  return client.stream({ model: "m", messages: [user("Hello")] });
}

describe.each(Object.entries(WRAPPERS))("a stream that is %s", (_, wrap) => {
  describe.each(Object.entries(SCRIPTS))("has, for %s,", (__, deltas) => {
    test.each(Object.entries(READINGS))("the same results if it is read %s", async (___, read) => {
      for (const together of [false, true]) {
        const own = await observe(open(deltas, together), read);
        expect(own.length).toBeGreaterThan(0);
        expect(
          await observe(
            wrap(() => open(deltas, together)),
            read,
          ),
        ).toStrictEqual(own);
      }
    });
  });
});

describe("replayAnswer", () => {
  const answered = async (): Promise<Answer> => open(SCRIPTS["a whole answer"], false).response();

  test.each(["one delta after the other", "in batches", "the answer, then the deltas", "left before it begins"])(
    "reads like a stream: %s",
    async (name) => {
      const read = READINGS[name] as Reading;
      const seen = await observe(replayAnswer(await answered()), read);
      const own = await observe(open(SCRIPTS["a whole answer"], true), read);
      // Three deltas of one text arrive as one.
      expect(seen).toStrictEqual(own.filter((what, index) => what !== "text" || own[index - 1] !== "text"));
    },
  );

  test("its deltas assemble to the answer", async () => {
    const answer = await answered();
    const deltas: Delta[] = [];
    for await (const delta of replayAnswer(answer)) deltas.push(delta);
    const { provider: _, losses: __, attempts: ___, ...response } = answer;
    expect(assemble(deltas)).toStrictEqual(response);
  });

  test("a stream that is cancelled before it is read delivers no delta", async () => {
    const stream = replayAnswer(await answered());
    stream.cancel("changed my mind");
    await expect(stream.next()).rejects.toMatchObject({ code: "aborted", cause: "changed my mind" });
    await expect(stream.response()).rejects.toMatchObject({ code: "aborted" });
  });

  test("has snapshots of the partial answer", async () => {
    const stream = replayAnswer(await answered());
    expect(stream.snapshot()).toBeUndefined();
    await stream.next();
    expect(stream.snapshot()?.message.parts).toStrictEqual([{ type: "text", text: "abc" }]);
  });

  test("a failed answer ends as a failed stream", async () => {
    const error = { kind: "overloaded", message: "Too much." } as const;
    const stream = replayAnswer({ ...(await answered()), error, finishReason: { unified: "error" } });
    const seen = await observe(stream, readAll);
    expect(seen.slice(-2)).toMatchObject(["error", { thrown: { code: "overloaded" } }]);
    await expect(stream.response()).rejects.toMatchObject({ code: "overloaded" });
  });
});

describe("tapStream", () => {
  const whole = SCRIPTS["a whole answer"];

  test.each<[string, readonly Delta[], Reading, string]>([
    ["a whole answer", whole, readAll, "answer"],
    ["an answer without a reader of its deltas", whole, async (stream) => void (await stream.response()), "answer"],
    ["an answer whose reader stops at the last delta", whole, stopAt("done"), "answer"],
    ["a reader who leaves", whole, READINGS["until a reader leaves"] as Reading, "aborted"],
    ["a reader who cancels and leaves", whole, async (stream) => stream.cancel(), "aborted"],
    ["a failure in the middle", SCRIPTS["an answer that fails in the middle"], readAll, "overloaded"],
    ["a failure at once", SCRIPTS["an answer that fails at once"], readAll, "overloaded"],
  ])("calls the listener once with the end: %s", async (_, deltas, read, ending) => {
    const endings: unknown[] = [];
    const ended = Promise.withResolvers<void>();
    const stream = tapStream(open(deltas, false), {
      ended: (outcome) => {
        endings.push("answer" in outcome ? "answer" : (outcome.error as ClientError).code);
        ended.resolve();
      },
    });
    await observe(stream, read);
    await ended.promise;
    await stream.return?.();
    await stream.response().catch(() => undefined);
    expect(endings).toStrictEqual([ending]);
  });

  test("calls the listener once for every delta, in order", async () => {
    const log: string[] = [];
    const tapped = tapStream(open(whole, false), { deltas: (batch) => log.push(...batch.map(({ kind }) => kind)) });
    const seen = await observe(tapped, readAll);
    expect(seen).toStrictEqual(log);
    expect(log).toStrictEqual(whole.map(({ kind }) => kind));
  });

  test("the reader's end waits for the tap", async () => {
    const steps: string[] = [];
    const stream = tapStream(open(whole, false), {
      ended: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        steps.push("tapped");
      },
    });
    await readAll(stream, () => undefined);
    steps.push("read");
    expect(steps).toStrictEqual(["tapped", "read"]);
  });
});

function stopAt(last: string): Reading {
  return async (stream) => {
    for (let kind = ""; kind !== last; kind = (await stream.next()).value?.kind ?? last);
  };
}

describe("deferStream", () => {
  test("the stream is opened once, at the first read", async () => {
    let opened = 0;
    const stream = deferStream(() => {
      opened += 1;
      return open(SCRIPTS["a whole answer"], false);
    });
    expect(stream.snapshot()).toBeUndefined();
    expect(opened).toBe(0);
    await Promise.all([stream.next(), stream.response(), stream.next()]);
    expect(opened).toBe(1);
  });

  test("a reader receives the error of a stream that cannot be opened", async () => {
    const stream = deferStream(() => {
      throw new ClientError("budget", "Nothing left.");
    });
    await expect(stream.next()).rejects.toMatchObject({ code: "budget" });
    await expect(stream.response()).rejects.toMatchObject({ code: "budget" });
    await stream.return?.();
  });

  test("a stream that is cancelled while it opens is cancelled after it opened", async () => {
    const door = Promise.withResolvers<void>();
    const stream = deferStream(async () => {
      await door.promise;
      return open(SCRIPTS["a whole answer"], false);
    });
    const first = stream.next();
    await Promise.resolve();
    stream.cancel("too slow");
    door.resolve();
    await expect(first).rejects.toMatchObject({ code: "aborted", cause: "too slow" });
  });
});
