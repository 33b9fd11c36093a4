// Streams of OpenAI's Responses, written delta by delta: which events they become, and what the official SDK makes of them.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { assemble, transcode } from "../../src/index.ts";
import type { Delta, Response as Answer } from "../../src/index.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import { decodeEvents, encodeDeltas } from "../../src/testkit/stream-reading.ts";
import { answer, call, delta } from "../support/deltas.ts";
import type { Wire } from "./openai-responses-stream-events.ts";
import { message, outputText, sayEvents, stream } from "./openai-responses-stream-events.ts";
import { streamSamples } from "./openai-responses-stream-samples.ts";

const dialect = openaiResponses();
const vega = message("msg_1", [outputText("Vega.")]);

function answerOf(events: readonly unknown[]): Answer {
  return assemble(decodeEvents(dialect, events));
}

/** What events say, without what every event says. */
function written(deltas: readonly Delta[]): Wire[] {
  return encodeDeltas(dialect, deltas).events.map(({ data }) => data as Wire);
}
const typesOf = (wires: readonly Wire[]): string[] => wires.map(({ type }) => String(type).replace("response.", ""));

describe("deltas to events", () => {
  test("B83: created first, every item and block opened and closed, the whole answer last", () => {
    const wires = written(
      answer(
        delta("thinking", { textDelta: "Hm.", part: 0 }),
        delta("thinking", { textDelta: "H", summary: 0, part: 0 }),
        delta("text", { textDelta: "Vega", part: 1 }),
        delta("text", { textDelta: " it is.", part: 1 }),
        ...call("call_1", '{"a":1}'),
      ),
    );
    expect(typesOf(wires)).toStrictEqual(
      (
        "created in_progress output_item.added content_part.added reasoning_text.delta reasoning_summary_part.added " +
        "reasoning_summary_text.delta reasoning_summary_text.done reasoning_summary_part.done reasoning_text.done " +
        "content_part.done output_item.done output_item.added content_part.added output_text.delta output_text.delta " +
        "output_text.done content_part.done output_item.done output_item.added function_call_arguments.delta " +
        "function_call_arguments.done output_item.done completed"
      ).split(" "),
    );
    const last = wires.at(-1)?.["response"] as Wire;
    expect(last).toMatchObject({
      status: "completed",
      output: [{ type: "reasoning" }, { type: "message" }, { type: "function_call" }],
    });
    expect(wires[0]).toMatchObject({ response: { status: "in_progress", output: [], error: null, tools: [] } });
  });

  test("calls grow side by side, each in its own place", () => {
    const [startA, argsA, endA] = call("a", '{"a":1}');
    const [startB, argsB, endB] = call("b", '{"b":1}');
    const wires = written(answer(...([startA, startB, argsB, argsA, endB, endA] as Delta[])));
    const grown = wires.filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(grown.map((wire) => [wire["output_index"], wire["delta"]])).toStrictEqual([
      [1, '{"b":1}'],
      [0, '{"a":1}'],
    ]);
  });

  test("B50: a character that two deltas share goes out whole", () => {
    const wires = written(answer(delta("text", { textDelta: "a\ud83c" }), delta("text", { textDelta: "\udf1fb" })));
    const pieces = wires.flatMap((wire) => (wire["type"] === "response.output_text.delta" ? [wire["delta"]] : []));
    expect(pieces).toStrictEqual(["a", "🌟b"]);
  });

  test("a citation that ends with the text waits for its end", () => {
    const cite = delta("annotation", {
      annotation: { kind: "url", url: "https://stars.example", title: "Stars" },
      part: 0,
    });
    const wires = written(
      answer(delta("text", { textDelta: "", part: 0 }), cite, delta("text", { textDelta: "Vega", part: 0 })),
    );
    const found = wires.find(({ type }) => type === "response.output_text.annotation.added");
    expect(found).toMatchObject({ annotation_index: 0, annotation: { start_index: 0, end_index: 4 } });
  });

  test("B86: a failure leaves open what was open, and ends with what was said", () => {
    const failed = [
      ...answer(delta("text", { textDelta: "Ve" })).slice(0, 2),
      delta("error", { errorCode: "rate-limit", message: "Slow." }),
    ];
    const wires = written(failed);
    expect(typesOf(wires).slice(-2)).toStrictEqual(["output_text.delta", "failed"]);
    expect(wires.at(-1)).toMatchObject({
      response: {
        status: "failed",
        error: { code: "rate_limit_exceeded", message: "Slow." },
        output: [{ content: [{ text: "Ve" }] }],
      },
    });
  });

  test("a result between two answers is reported, and a second answer has events of its own", () => {
    const result = { type: "tool-result", toolCallId: "call_1", toolName: "t", isError: false, output: "x" } as const;
    const run = [
      ...answer(...call("call_1", "{}")),
      delta("part", { value: result, role: "tool" }),
      ...answer(delta("text", { textDelta: "Hi" })),
    ];
    const { events, losses } = encodeDeltas(dialect, run);
    expect(losses.map(({ code }) => code)).toContain("result-between");
    expect(
      typesOf(events.map(({ data }) => data as Wire)).filter((type) => type === "created" || type === "completed"),
    ).toStrictEqual(["created", "completed", "created", "completed"]);
  });

  test("bytes go in and out in any pieces", () => {
    const events = stream([sayEvents(0, "msg_1", "Ve", "ga.")], [vega]);
    const bytes = new TextEncoder().encode(events.map((data) => dialect.formatEvent({ data })).join(""));
    const transcoder = transcode(dialect, dialect);
    const out = [...Array.from(bytes, (_, at) => transcoder.push(bytes.subarray(at, at + 1))), transcoder.end()].join(
      "",
    );
    expect(answerOf([out])).toStrictEqual(answerOf(events));
  });
});

describe("the official SDK", () => {
  /** What its accumulator makes of a stream. */
  async function accumulated(deltas: readonly Delta[]): Promise<Wire> {
    const bytes = encodeDeltas(dialect, deltas)
      .events.map((event) => dialect.formatEvent(event))
      .join("");
    const headers = { "content-type": "text/event-stream" };
    const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: async () => new Response(bytes, { headers }) });
    const final = await client.responses.stream({ model: "star-1", input: "Which star?" }).finalResponse();
    return structuredClone(final) as unknown as Wire;
  }

  // It reads one answer, and throws at an event that it does not know.
  const refused = /two answers|an unknown event/;
  const read = streamSamples.filter(({ name, ends }) => ends === undefined && !refused.test(name));
  test.each(read)("accumulates what was streamed: $name", async ({ events }) => {
    const deltas = decodeEvents(dialect, events);
    const { output_text: _, output_parsed: __, ...final } = await accumulated(deltas);
    expect(dialect.decodeResponse(final).message.parts.map(({ type }) => type)).toStrictEqual(
      assemble(deltas).message.parts.map(({ type }) => type),
    );
    expect(final).toMatchObject({ id: assemble(deltas).id });
  });

  test("accumulates a text that goes on in another item while a call grows", async () => {
    const [begun, asked, ended] = call("call_1", "{}") as [Delta, Delta, Delta];
    const say = (textDelta: string): Delta => delta("text", { textDelta, part: "a" });
    const final = await accumulated(answer(say("A1"), begun, say("A2"), asked, ended, say("A3")));
    expect(final).toMatchObject({
      output_text: "A1A2A3",
      output: [{ type: "message" }, { type: "function_call", arguments: "{}" }, { type: "message" }],
    });
  });
});
