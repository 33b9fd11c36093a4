// A stream says what an answer in one piece says: written and read by Koine, and accumulated by the official SDK.
import { describe, expect, test } from "vitest";
import { checkDeltas, disassemble } from "../../src/assembly/index.ts";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import { dialect as dialectOf } from "../../src/dialects/registry.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { responseGallery } from "../../src/testkit/index.ts";
import { expectSame } from "../support/same.ts";
import { responseSamples } from "./anthropic-response-samples.ts";
import { accumulated, answerOf, comparable, decode, encode } from "./anthropic-stream-reading.ts";
import { streamSamples } from "./anthropic-stream-samples.ts";
import { RARE } from "./rare-samples.ts";

const dialect = anthropic();

const rows: readonly [name: string, response: ModelResponse][] = [
  ...responseGallery().map(({ name, value }): [string, ModelResponse] => [name, value]),
  ...responseSamples.map(({ name, wire }): [string, ModelResponse] => [name, dialect.decodeResponse(wire)]),
  ...Object.entries(RARE).flatMap(([id, { responses }]) =>
    responses.map(({ name, wire }): [string, ModelResponse] => [`${id}: ${name}`, dialectOf(id).decodeResponse(wire)]),
  ),
];
/** A stream without counts is refused by the SDK, so that one is never written. */
const UNCOUNTED = "no counts, no frame";
const answered = rows.filter(([name, { error }]) => error === undefined && name !== UNCOUNTED);

describe("an answer streamed is the answer whole", () => {
  test("there are answers", () => {
    expect(answered.length).toBeGreaterThan(30);
  });

  test.each(answered)("%s", (_name, response) => {
    const { events, losses } = encode(disassemble(response));
    const whole = dialect.encodeResponse(response);
    const deltas = decode(events);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expectSame(comparable(answerOf(deltas)), comparable(dialect.decodeResponse(whole.wire)));
    expect(losses).toStrictEqual(whole.losses);
  });

  test.each([undefined, null, "none"])("an answer without counts (%s) gets some, and that is reported", (usage) => {
    const wire = { content: [], stop_reason: "end_turn", ...(usage !== undefined && { usage }) };
    const { events, losses } = encode(disassemble(dialect.decodeResponse(wire)));
    expect(events[0]?.data).toMatchObject({ message: { usage: { input_tokens: 0, output_tokens: 0 } } });
    expect(events[1]?.data).toMatchObject({ usage: { output_tokens: 0 } });
    expect(losses).toMatchObject([{ code: "usage-made", path: "/usage" }]);
  });
});

/** The counts before all content: some of them the SDK takes only from the start. */
function countedFirst([start, ...deltas]: readonly Delta[]): Delta[] {
  const isUsage = ({ kind }: Delta): boolean => kind === "usage";
  const first = start === undefined ? [] : [start];
  return [...first, ...deltas.filter(isUsage), ...deltas.filter((delta) => !isUsage(delta))];
}

/** What the SDK accumulates: no fields of the message that it does not know, and no digits beyond a double. */
function accumulable(response: ModelResponse | undefined): unknown {
  if (response === undefined) return undefined;
  const { extra: _, message, ...rest } = response;
  const parts = message.parts.map((part): Part => {
    if (part.type !== "tool-call") return part;
    const { inputText: __, ...call } = part;
    return call;
  });
  return comparable({ ...rest, message: { ...message, parts } });
}

describe("the official SDK accumulates what Koine writes", () => {
  test.each(answered)("%s", async (_name, response) => {
    const { events } = encode(countedFirst(disassemble(response)));
    const final = dialect.decodeResponse(await accumulated(events, true));
    expectSame(accumulable(final), accumulable(answerOf(decode(events))));
  });

  test.each(streamSamples.filter(({ isOdd }) => isOdd !== true))("B80: $name", async ({ events }) => {
    const read = comparable(answerOf(decode(events)));
    const wire = events.map((data) => ({ event: String(data["type"]), data }));
    expectSame(comparable(dialect.decodeResponse(await accumulated(wire, true))), read);
    const again = encode(decode(events)).events;
    expectSame(comparable(dialect.decodeResponse(await accumulated(again, true))), read);
  });

  test.each([false, true])("B86: a failed stream is an error to it, beta: %s", async (isBeta) => {
    const { events } = encode([
      ...disassemble({
        id: "r",
        model: "m",
        message: { role: "assistant", parts: [] },
        finishReason: { unified: "stop" },
      }).slice(0, 1),
      { kind: "text", payload: { textDelta: "Half" } },
      { kind: "error", payload: { errorCode: "overloaded", message: "Busy." } },
    ]);
    await expect(accumulated(events, isBeta)).rejects.toThrow("Busy.");
  });
});

describe("a stream that is read and written is the same answer", () => {
  test.each(streamSamples)("$name", ({ events }) => {
    const deltas = decode(events);
    const again = encode(deltas);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(again.losses).toStrictEqual([]);
    expectSame(answerOf(decode(again.events)), answerOf(deltas));
    expect(again.events.every(({ data }) => dialect.detectKind(data) === "stream" || "sky" in Object(data))).toBe(true);
  });
});
