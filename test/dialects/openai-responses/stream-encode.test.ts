// Tests encoding of Responses streams: the events of each delta, and the answer that the official SDK assembles.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { assemble, transcode } from "../../../src/index.ts";
import type { Delta, ModelResponse as Answer } from "../../../src/index.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import { decodeEvents, encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";
import { answer, call, delta } from "../../support/deltas.ts";
import type { WireEventBody } from "./stream-events.ts";
import { message, outputText, messageEvents, stream } from "./stream-events.ts";
import { streamSamples } from "./stream-samples.ts";

const dialect = openaiResponses();
const vega = message("msg_1", [outputText("Vega.")]);

function decodeAnswer(events: readonly unknown[]): Answer {
  return assemble(decodeEvents(dialect, events));
}

/** Returns the events without the fields that every event has. */
function encodeWithoutIds(deltas: readonly Delta[]): WireEventBody[] {
  return encodeDeltas(dialect, deltas).events.map(({ data }) => data as WireEventBody);
}
const typesOf = (wires: readonly WireEventBody[]): string[] =>
  wires.map(({ type }) => String(type).replace("response.", ""));

describe("deltas to events", () => {
  test("B83: response.created comes first, every item and block is opened and closed, the whole answer comes last", () => {
    const wires = encodeWithoutIds(
      answer(
        delta("thinking", { textDelta: "Hm.", partKey: 0 }),
        delta("thinking", { textDelta: "H", summary: 0, partKey: 0 }),
        delta("text", { textDelta: "Vega", partKey: 1 }),
        delta("text", { textDelta: " it is.", partKey: 1 }),
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
    const last = wires.at(-1)?.["response"] as WireEventBody;
    expect(last).toMatchObject({
      status: "completed",
      output: [{ type: "reasoning" }, { type: "message" }, { type: "function_call" }],
    });
    expect(wires[0]).toMatchObject({ response: { status: "in_progress", output: [], error: null, tools: [] } });
    const created = wires[0]?.["response"] as WireEventBody;
    expect(Object.keys(created).filter((key) => key !== "usage" && !Object.hasOwn(last, key))).toStrictEqual([]);
  });

  test("several calls grow at once, each with its own output index", () => {
    const [startA, argsA, endA] = call("a", '{"a":1}');
    const [startB, argsB, endB] = call("b", '{"b":1}');
    const wires = encodeWithoutIds(answer(...([startA, startB, argsB, argsA, endB, endA] as Delta[])));
    const grown = wires.filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(grown.map((wire) => [wire["output_index"], wire["delta"]])).toStrictEqual([
      [1, '{"b":1}'],
      [0, '{"a":1}'],
    ]);
  });

  test("B50: a surrogate pair that two deltas share is sent whole", () => {
    const wires = encodeWithoutIds(
      answer(delta("text", { textDelta: "a\ud83c" }), delta("text", { textDelta: "\udf1fb" })),
    );
    const textDeltas = wires.flatMap((wire) => (wire["type"] === "response.output_text.delta" ? [wire["delta"]] : []));
    expect(textDeltas).toStrictEqual(["a", "🌟b"]);
  });

  test("a citation that ends with the text waits for its end", () => {
    const cite = delta("annotation", {
      annotation: { kind: "url", url: "https://stars.example", title: "Stars" },
      partKey: 0,
    });
    const wires = encodeWithoutIds(
      answer(delta("text", { textDelta: "", partKey: 0 }), cite, delta("text", { textDelta: "Vega", partKey: 0 })),
    );
    const annotationEvent = wires.find(({ type }) => type === "response.output_text.annotation.added");
    expect(annotationEvent).toMatchObject({ annotation_index: 0, annotation: { start_index: 0, end_index: 4 } });
  });

  test("B86: a failure leaves its item open and ends with the content so far", () => {
    const failed = [
      ...answer(delta("text", { textDelta: "Ve" })).slice(0, 2),
      delta("error", { errorCode: "rate-limit", message: "Slow." }),
    ];
    const wires = encodeWithoutIds(failed);
    expect(typesOf(wires).slice(-2)).toStrictEqual(["output_text.delta", "failed"]);
    expect(wires.at(-1)).toMatchObject({
      response: {
        status: "failed",
        error: { code: "rate_limit_exceeded", message: "Slow." },
        output: [{ content: [{ text: "Ve" }] }],
      },
    });
  });

  test("a result between two answers is reported, and the second answer has separate events", () => {
    const result = { type: "tool-result", toolCallId: "call_1", toolName: "t", isError: false, output: "x" } as const;
    const run = [
      ...answer(...call("call_1", "{}")),
      delta("part", { value: result, role: "tool" }),
      ...answer(delta("text", { textDelta: "Hi" })),
    ];
    const { events, losses } = encodeDeltas(dialect, run);
    expect(losses.map(({ code }) => code)).toContain("stream-result-dropped");
    expect(
      typesOf(events.map(({ data }) => data as WireEventBody)).filter(
        (type) => type === "created" || type === "completed",
      ),
    ).toStrictEqual(["created", "completed", "created", "completed"]);
  });

  test("the events do not depend on the chunks of the input", () => {
    const events = stream([messageEvents(0, "msg_1", "Ve", "ga.")], [vega]);
    const bytes = new TextEncoder().encode(events.map((data) => dialect.formatEvent({ data })).join(""));
    const transcoder = transcode(dialect, dialect);
    const out = [...Array.from(bytes, (_, at) => transcoder.push(bytes.subarray(at, at + 1))), transcoder.end()].join(
      "",
    );
    expect(decodeAnswer([out])).toStrictEqual(decodeAnswer(events));
  });
});

describe("the official SDK", () => {
  /** Returns the answer that the SDK assembles. */
  async function accumulateWithSdk(deltas: readonly Delta[]): Promise<WireEventBody> {
    const bytes = encodeDeltas(dialect, deltas)
      .events.map((event) => dialect.formatEvent(event))
      .join("");
    const headers = { "content-type": "text/event-stream" };
    const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: async () => new Response(bytes, { headers }) });
    const final = await client.responses.stream({ model: "star-1", input: "Which star?" }).finalResponse();
    return structuredClone(final) as unknown as WireEventBody;
  }

  // The SDK reads only one answer and throws at an unknown event.
  const refused = /two answers|an unknown event/;
  const read = streamSamples.filter(({ name, ends }) => ends === undefined && !refused.test(name));
  test.each(read)("accumulates the streamed answer: $name", async ({ events }) => {
    const deltas = decodeEvents(dialect, events);
    const { output_text: _, output_parsed: __, ...final } = await accumulateWithSdk(deltas);
    expect(dialect.decodeResponse(final).message.parts.map(({ type }) => type)).toStrictEqual(
      assemble(deltas).message.parts.map(({ type }) => type),
    );
    expect(final).toMatchObject({ id: assemble(deltas).id });
  });

  test("accumulates a text that continues in another item while a call grows", async () => {
    const [startedText, startedCall, ended] = call("call_1", "{}") as [Delta, Delta, Delta];
    const createText = (textDelta: string): Delta => delta("text", { textDelta, partKey: "a" });
    const final = await accumulateWithSdk(
      answer(createText("A1"), startedText, createText("A2"), startedCall, ended, createText("A3")),
    );
    expect(final).toMatchObject({
      output_text: "A1A2A3",
      output: [{ type: "message" }, { type: "function_call", arguments: "{}" }, { type: "message" }],
    });
  });
});
