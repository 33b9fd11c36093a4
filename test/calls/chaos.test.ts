// Replies that break at any byte and arrive in any chunks: the answer is complete, or the error is typed and has the partial
// answer; and no connection, timer or listener is left.
import fc from "fast-check";
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { ClientError } from "../../src/client/index.ts";
import { defaultTransport as overFetch } from "../../src/calls/transport/fetch.ts";
import type { Delta, Message, ModelResponse } from "../../src/index.ts";
import { checkDeltas, disassemble } from "../../src/index.ts";
import type { ReplayServer, Reply } from "../../src/testkit/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../src/testkit/index.ts";
import { answer, delta } from "../support/deltas.ts";
import { connectionsGone, leavingNothing } from "./support/leak-checks.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import {
  ANSWER,
  clientAt,
  DIALECTS,
  QUESTION,
  streamPieces,
  streamReply,
  theirs,
  wholeBody,
} from "./support/provider-fixtures.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

let reply: Reply = {};
let server: ReplayServer;
beforeAll(async () => {
  server = await replayServer(() => reply);
});
afterAll(() => server.close());

const TEXT = ANSWER.message.parts[0] as { text: string };

/** True if a message is a prefix of the answer. */
function beginsAsTheAnswer({ parts }: Message): boolean {
  const [text, call] = parts;
  const isText = text === undefined || (text.type === "text" && TEXT.text.startsWith(text.text));
  return isText && (call === undefined || (call.type === "tool-call" && call.toolCallId === "call_1"));
}

/** Returns the text of deltas. */
function textOf(deltas: readonly Delta[]): string {
  return deltas.map(({ kind, payload }) => (kind === "text" ? payload.textDelta : "")).join("");
}

function checkFailed(deltas: readonly Delta[], partial: ModelResponse | undefined): void {
  if (deltas.length === 0) return expect(partial).toBeUndefined();
  expect(checkDeltas(deltas)).toStrictEqual([]);
  expect(deltas.at(-1)?.kind).toBe("error");
  expect(partial?.message.metadata).toMatchObject({ interrupted: true, provider: "there" });
  // A truncated call is never executed (B31).
  const calls = partial?.message.parts.filter((part) => part.type === "tool-call") ?? [];
  for (const call of calls) expect(call.invalid === true || call.input).toBeTruthy();
  return expect(partial !== undefined && beginsAsTheAnswer(partial.message)).toBe(true);
}

/** Checks a property often, and asserts that no run leaves a connection and that no timer is left. */
async function always<Ts extends [unknown, ...unknown[]]>(
  values: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> },
  numRuns: number,
  run: (client: ReturnType<typeof clientAt>, ...values: Ts) => Promise<void>,
  id: (typeof DIALECTS)[number],
): Promise<void> {
  const property = fc.asyncProperty(fc.tuple<Ts>(...values), async (each) => {
    const client = clientAt(server, id, { retry: { attempts: 1 } });
    await run(client, ...each);
    await client.close();
    await connectionsGone(server);
  });
  await leavingNothing(server, () => fc.assert(property, { numRuns }), 0);
}

describe.each(DIALECTS)("%s", (id) => {
  const { headers = {} } = streamReply(id);
  const bytes = Buffer.concat(streamPieces(id));
  const body = Buffer.from(JSON.stringify(wholeBody(id)));
  const pieces = (seed: number, longest: number): Uint8Array[] => cutRandomly(bytes, seededRandom(seed), longest);

  test("a stream gives the same answer in any chunks", () =>
    always<[number]>(
      [fc.nat()],
      scaleRunCount(60),
      async (client, seed) => {
        reply = { headers, chunks: pieces(seed, 200) };
        const result = await client.stream(QUESTION).response();
        expect(result.message.parts).toMatchObject(ANSWER.message.parts);
      },
      id,
    ));

  const BROKEN: [title: string, make: (at: number) => Partial<Reply>][] = [
    ["ends", (at) => ({ chunks: [bytes.subarray(0, at)] })],
    ["breaks", (at) => ({ reset: at })],
  ];
  test.each(BROKEN)("a stream that %s at any byte is complete, or fails with a partial answer", (_, make) =>
    always<[number, number]>(
      [fc.nat(bytes.length - 1), fc.nat()],
      scaleRunCount(120),
      async (client, at, seed) => {
        reply = { headers, chunks: pieces(seed, 300), ...make(at) };
        const stream = client.stream(QUESTION);
        const { deltas, error } = await readAll(stream);
        if (error === undefined) {
          // The end of the reply was missing, but no part of the answer.
          expect((await stream.response()).message.parts).toMatchObject(ANSWER.message.parts);
          expect(deltas.at(-1)?.kind).toBe("done");
        } else {
          expect(["truncated", "network"]).toContain(error.code);
          checkFailed(deltas, error.partial);
          const decoder = theirs(id).streamDecoder();
          expect(textOf(deltas)).toBe(textOf([...decoder.push(bytes.subarray(0, at)), ...decoder.end()]));
        }
      },
      id,
    ),
  );

  test("a complete answer that breaks or ends at any byte is an error", () =>
    always<[number, boolean]>(
      [fc.nat(body.length - 1), fc.boolean()],
      scaleRunCount(120),
      async (client, at, isReset) => {
        reply = isReset ? { body, reset: at } : { body: body.subarray(0, at) };
        const error = await errorOf(client.complete(QUESTION));
        expect(["truncated", "network"]).toContain(error.code);
        expect(error.partial).toBeUndefined();
      },
      id,
    ));

  test("a stream that its reader leaves at any delta leaks no resource", () =>
    always<[number, string, number]>(
      [fc.nat(12), fc.constantFrom("return", "cancel", "signal"), fc.nat()],
      scaleRunCount(120),
      async (client, after, how, seed) => {
        reply = { headers, chunks: pieces(seed, 120) };
        const controller = new AbortController();
        const stream = client.stream(QUESTION, { signal: controller.signal });
        let isOver = false;
        for (let n = 0; n < after && !isOver; n += 1) isOver = (await stream.next()).done === true;
        if (how === "return") await stream.return?.();
        else if (how === "cancel") stream.cancel();
        else controller.abort();
        const outcome = await stream.response().catch((error: unknown) => error);
        // Left after the end, or before it.
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "aborted" });
        else expect(outcome).toMatchObject({ provider: "there" });
        if (how === "return") expect((await stream.next()).done).toBe(true);
      },
      id,
    ));

  test("a call that is aborted at any time ends at once and leaks no resource", () =>
    always<[number, boolean, number]>(
      [fc.nat(40), fc.boolean(), fc.nat()],
      scaleRunCount(120),
      async (client, turns, isStream, seed) => {
        reply = isStream ? { headers, chunks: pieces(seed, 200) } : { body };
        const controller = new AbortController();
        const { signal } = controller;
        const call = isStream ? client.stream(QUESTION, { signal }).response() : client.complete(QUESTION, { signal });
        const outcome = call.catch((error: unknown) => error);
        for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
        controller.abort();
        const result = await outcome;
        if (result instanceof Error) expect(result).toMatchObject({ code: "aborted" });
        else expect((result as ModelResponse).message.parts).toMatchObject(ANSWER.message.parts);
      },
      id,
    ));
});

test("B68: the last event counts although the connection breaks before its final line break", async () => {
  const pieces = streamPieces(
    "openai-chat",
    answer(delta("text", { textDelta: "Down " }), delta("text", { textDelta: "left." })),
  );
  for (let count = 2; count <= pieces.length; count += 1) {
    const sent = Buffer.concat(pieces.slice(0, count));
    reply = { chunks: [sent], reset: sent.length - 1 };
    const { deltas } = await readAll(clientAt(server).stream(QUESTION, { retry: { attempts: 1 } }));
    const decoder = theirs("openai-chat").streamDecoder();
    const direct = [...decoder.push(sent), ...decoder.end()];
    expect(textOf(deltas)).toBe(textOf(direct));
  }
});

test("deltas that arrived before the connection broke are delivered to a late reader", async () => {
  const client = clientAt(server, "openai-chat");
  const textDeltas = Array.from({ length: 30 }, (_, n) => delta("text", { textDelta: `word ${n} ` }));
  const pieces = streamPieces("openai-chat", answer(...textDeltas));
  const half = Buffer.concat(pieces.slice(0, 20)).length;
  reply = { chunks: pieces, delayMs: 2, reset: half };
  const stream = client.stream(QUESTION);
  const first = await stream.next();
  await server.requests.at(-1)?.ended;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { deltas, error } = await readAll(stream);
  expect(error?.code).toBe("network");
  const decoder = theirs("openai-chat").streamDecoder();
  const sent = [...decoder.push(Buffer.concat(pieces).subarray(0, half)), ...decoder.end()];
  expect(textOf([first.value as Delta, ...deltas])).toBe(textOf(sent));
  expect(textOf(error?.partial ? disassemble(error.partial) : [])).toBe(textOf(sent));
});

test.each(DIALECTS)("%s: the same is true for fetch", async (id) => {
  const { headers = {} } = streamReply(id);
  const bytes = Buffer.concat(streamPieces(id));
  const client = clientAt(server, id, { transport: overFetch(), retry: { attempts: 1 } });
  const property = fc.asyncProperty(fc.nat(bytes.length), fc.nat(), fc.nat(20), async (at, seed, turns) => {
    reply = { headers, chunks: cutRandomly(bytes, seededRandom(seed), 300), ...(at < bytes.length && { reset: at }) };
    const { deltas, error } = await readAll(client.stream(QUESTION));
    if (error === undefined) expect(deltas.at(-1)?.kind).toBe("done");
    else {
      expect(["truncated", "network"]).toContain(error.code);
      checkFailed(deltas, error.partial);
    }
    const controller = new AbortController();
    const call = client.stream(QUESTION, { signal: controller.signal }).response();
    const outcome = call.catch((thrown: unknown) => thrown);
    for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const result = await outcome;
    if (result instanceof Error) expect(["aborted", "truncated", "network"]).toContain((result as ClientError).code);
  });
  await fc.assert(property, { numRuns: scaleRunCount(60) });
});

test("concurrent calls share connections, and each ends in its own way", async () => {
  const id = "anthropic";
  const whole = streamReply(id);
  const length = Buffer.concat(streamPieces(id)).length;
  const random = seededRandom(5);
  await using many = await replayServer(() => (random() < 0.3 ? { ...whole, reset: length - 100 } : whole));
  const client = clientAt(many, id);
  await leavingNothing(
    many,
    async () => {
      const calls = Array.from({ length: 60 }, async (_, n) => {
        const stream = client.stream(QUESTION, { retry: { attempts: 1 } });
        if (n % 3 === 0) {
          for await (const { kind } of stream) if (kind === "text") break;
          return "left";
        }
        const { error } = await readAll(stream);
        return error?.code ?? "whole";
      });
      const ends = await Promise.all(calls);
      expect(new Set(ends)).toStrictEqual(new Set(["left", "whole", "network"]));
      await client.close();
    },
    0,
  );
});
