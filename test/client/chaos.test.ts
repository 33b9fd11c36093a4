// Whatever happens to a reply, at whatever byte and in whatever pieces: the answer is whole, or the error is typed and
// holds what had arrived; and no connection, timer or listener is left.
import fc from "fast-check";
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { Delta, Message, Response } from "../../src/index.ts";
import { checkDeltas } from "../../src/index.ts";
import type { ReplayServer, Reply } from "../../src/testkit/index.ts";
import { cut, replayServer, seededRandom } from "../../src/testkit/index.ts";
import { leavingNothing } from "./support/settled.ts";
import { errorOf, readAll } from "./support/thrown.ts";
import { ANSWER, clientAt, DIALECTS, QUESTION, streamPieces, streamReply, wholeBody } from "./support/wire.ts";

let reply: Reply = {};
let server: ReplayServer;
beforeAll(async () => {
  server = await replayServer(() => reply);
});
afterAll(() => server.close());

const TEXT = ANSWER.message.parts[0] as { text: string };
const ONCE = { retry: { attempts: 1 } };

/** Whether a message is a beginning of the answer. */
function beginsAsTheAnswer({ parts }: Message): boolean {
  const [text, call] = parts;
  const isText = text === undefined || (text.type === "text" && TEXT.text.startsWith(text.text));
  return isText && (call === undefined || (call.type === "tool-call" && call.toolCallId === "call_1"));
}

function checkFailed(deltas: readonly Delta[], partial: Response | undefined): void {
  if (deltas.length === 0) return expect(partial).toBeUndefined();
  expect(checkDeltas(deltas)).toStrictEqual([]);
  expect(deltas.at(-1)?.kind).toBe("error");
  expect(partial?.message.metadata).toMatchObject({ interrupted: true, provider: "there" });
  // A call that was cut off is never to be executed (B31).
  const calls = partial?.message.parts.filter((part) => part.type === "tool-call") ?? [];
  for (const call of calls) expect(call.invalid === true || call.input).toBeTruthy();
  return expect(partial !== undefined && beginsAsTheAnswer(partial.message)).toBe(true);
}

describe.each(DIALECTS)("%s", (id) => {
  const { headers = {} } = streamReply(id);
  const bytes = Buffer.concat(streamPieces(id));
  const body = Buffer.from(JSON.stringify(wholeBody(id)));
  /** A place in the bytes, and a seed for the pieces. */
  const anywhere = (length: number) => fc.tuple(fc.nat(length), fc.nat());

  test("a stream in any pieces is the same answer", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        reply = { headers, chunks: cut(bytes, seededRandom(seed), 200) };
        const given = await clientAt(server, id).stream(QUESTION, ONCE).response();
        expect(given.message.parts).toMatchObject(ANSWER.message.parts);
      }),
      { numRuns: 15 },
    );
  });

  const BROKEN: [title: string, make: (at: number) => Partial<Reply>][] = [
    ["ends", (at) => ({ chunks: [bytes.subarray(0, at)] })],
    ["breaks", (at) => ({ reset: at })],
  ];
  test.each(BROKEN)("a stream that %s at any byte is whole, or fails with its beginning", async (_, make) => {
    await fc.assert(
      fc.asyncProperty(anywhere(bytes.length - 1), async ([at, seed]) => {
        reply = { headers, chunks: cut(bytes, seededRandom(seed), 300), ...make(at) };
        await leavingNothing(
          server,
          async () => {
            const client = clientAt(server, id);
            const stream = client.stream(QUESTION, ONCE);
            const { deltas, error } = await readAll(stream);
            if (error === undefined) {
              // The end of the reply was missing, but nothing of the answer.
              expect((await stream.response()).message.parts).toMatchObject(ANSWER.message.parts);
              expect(deltas.at(-1)?.kind).toBe("done");
            } else {
              expect(["truncated", "network"]).toContain(error.code);
              checkFailed(deltas, error.partial);
            }
            await client.close();
          },
          0,
        );
      }),
      { numRuns: 30 },
    );
  });

  test("a whole answer that breaks or ends at any byte is an error, or whole", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length - 1), fc.boolean(), async (at, isReset) => {
        reply = isReset ? { body, reset: at } : { body: body.subarray(0, at) };
        const error = await errorOf(clientAt(server, id).complete(QUESTION, ONCE));
        expect(["truncated", "network"]).toContain(error.code);
        expect(error.partial).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  test("a stream that is left at any delta, in any way, leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(12),
        fc.constantFrom("return", "cancel", "signal"),
        fc.nat(),
        async (after, how, seed) => {
          reply = { headers, chunks: cut(bytes, seededRandom(seed), 120) };
          const client = clientAt(server, id);
          await leavingNothing(
            server,
            async () => {
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
              await client.close();
            },
            0,
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  test("a call that is aborted at any moment ends at once, and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.boolean(), fc.nat(), async (turns, isStream, seed) => {
        reply = isStream ? { headers, chunks: cut(bytes, seededRandom(seed), 200) } : { body };
        const client = clientAt(server, id);
        await leavingNothing(
          server,
          async () => {
            const controller = new AbortController();
            const { signal } = controller;
            const call = isStream
              ? client.stream(QUESTION, { signal }).response()
              : client.complete(QUESTION, { signal });
            const outcome = call.catch((error: unknown) => error);
            for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
            controller.abort();
            const given = await outcome;
            if (given instanceof Error) expect(given).toMatchObject({ code: "aborted" });
            else expect((given as Response).message.parts).toMatchObject(ANSWER.message.parts);
            await client.close();
          },
          0,
        );
      }),
      { numRuns: 25 },
    );
  });
});

test("many calls at once, some of them left or broken, share their connections and end each in its own way", async () => {
  const id = "anthropic";
  const whole = streamReply(id);
  const random = seededRandom(5);
  await using many = await replayServer(() => (random() < 0.3 ? { ...whole, reset: 300 } : whole));
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
