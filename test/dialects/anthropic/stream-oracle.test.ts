// A streamed answer equals the whole response, decoded by Koine and accumulated by the official SDK.
import { describe, expect, test } from "vitest";
import { checkDeltas, disassemble } from "../../../src/assembly/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { dialect as dialectOf } from "../../../src/dialects/registry.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { canonicalResponses } from "../../../src/testkit/index.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { responseSamples } from "./response-samples.ts";
import { accumulateWithSdk, assembleAnswer, toComparable, decode, encode } from "./stream-helpers.ts";
import { streamSamples } from "./stream-samples.ts";
import { RARE } from "../all/rare-samples.rows.ts";

const dialect = anthropic();

const rows: readonly [name: string, response: ModelResponse][] = [
  ...canonicalResponses().map(({ name, value }): [string, ModelResponse] => [name, value]),
  ...responseSamples.map(({ name, wire }): [string, ModelResponse] => [name, dialect.decodeResponse(wire)]),
  ...Object.entries(RARE).flatMap(([id, { responses }]) =>
    responses.map(({ name, wire }): [string, ModelResponse] => [`${id}: ${name}`, dialectOf(id).decodeResponse(wire)]),
  ),
];
/** Sample without usage: the SDK rejects a stream without it, so the encoder adds it. */
const WITHOUT_USAGE = "no usage and no constant fields";
const successfulAnswers = rows.filter(([name, { error }]) => error === undefined && name !== WITHOUT_USAGE);

describe("a streamed answer equals the whole response", () => {
  test("the list of answers is not empty", () => {
    expect(successfulAnswers.length).toBeGreaterThan(30);
  });

  test.each(successfulAnswers)("%s", (_name, response) => {
    const { events, losses } = encode(disassemble(response));
    const whole = dialect.encodeResponse(response);
    const deltas = decode(events);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expectSameJson(toComparable(assembleAnswer(deltas)), toComparable(dialect.decodeResponse(whole.wire)));
    expect(losses).toStrictEqual(whole.losses);
  });

  test.each([undefined, null, "none"])("missing usage (%s) is synthesized and reported", (usage) => {
    const wire = { content: [], stop_reason: "end_turn", ...(usage !== undefined && { usage }) };
    const { events, losses } = encode(disassemble(dialect.decodeResponse(wire)));
    expect(events[0]?.data).toMatchObject({ message: { usage: { input_tokens: 0, output_tokens: 0 } } });
    expect(events[1]?.data).toMatchObject({ usage: { output_tokens: 0 } });
    expect(losses).toMatchObject([{ code: "usage-synthesized", path: "/usage" }]);
  });
});

/** Moves usage before the content: the SDK reads some counts only from message_start. */
function withUsageFirst([start, ...deltas]: readonly Delta[]): Delta[] {
  const isUsage = ({ kind }: Delta): boolean => kind === "usage";
  const first = start === undefined ? [] : [start];
  return [...first, ...deltas.filter(isUsage), ...deltas.filter((delta) => !isUsage(delta))];
}

/** Removes what the SDK does not accumulate: unknown fields of the message, and digits beyond a double. */
function toSdkComparable(response: ModelResponse | undefined): unknown {
  if (response === undefined) return undefined;
  const { extra: _, message, ...rest } = response;
  const parts = message.parts.map((part): Part => {
    if (part.type !== "tool-call") return part;
    const { inputText: __, ...call } = part;
    return call;
  });
  return toComparable({ ...rest, message: { ...message, parts } });
}

describe("the official SDK accumulates Koine's streams", () => {
  test.each(successfulAnswers)("%s", async (_name, response) => {
    const { events } = encode(withUsageFirst(disassemble(response)));
    const final = dialect.decodeResponse(await accumulateWithSdk(events, true));
    expectSameJson(toSdkComparable(final), toSdkComparable(assembleAnswer(decode(events))));
  });

  test.each(streamSamples.filter(({ isOdd }) => isOdd !== true))("B80: $name", async ({ events }) => {
    const read = toComparable(assembleAnswer(decode(events)));
    const wire = events.map((data) => ({ event: String(data["type"]), data }));
    expectSameJson(toComparable(dialect.decodeResponse(await accumulateWithSdk(wire, true))), read);
    const again = encode(decode(events)).events;
    expectSameJson(toComparable(dialect.decodeResponse(await accumulateWithSdk(again, true))), read);
  });

  test.each([false, true])("B86: the SDK throws for a failed stream, beta: %s", async (isBeta) => {
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
    await expect(accumulateWithSdk(events, isBeta)).rejects.toThrow("Busy.");
  });
});

describe("a stream that is decoded and encoded is the same answer", () => {
  test.each(streamSamples)("$name", ({ events }) => {
    const deltas = decode(events);
    const again = encode(deltas);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(again.losses).toStrictEqual([]);
    expectSameJson(assembleAnswer(decode(again.events)), assembleAnswer(deltas));
    expect(again.events.every(({ data }) => dialect.detectKind(data) === "stream" || "sky" in Object(data))).toBe(true);
  });
});
