// Tests that the deltas, the finished items and the last event of an encoded Responses stream agree, even if deltas
// arrive late.
import { describe, expect, test } from "vitest";
import { assemble, dialect as dialectOf } from "../../../src/index.ts";
import type { Delta } from "../../../src/index.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import { decodeEvents, encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";
import { answer, call, delta, START } from "../../support/deltas.ts";
import type { WireEventBody } from "./stream-events.ts";
import { messageEvents, stream } from "./stream-events.ts";

const dialect = openaiResponses();

function encodeEvents(deltas: readonly Delta[]): WireEventBody[] {
  return encodeDeltas(dialect, deltas).events.map(({ data }) => data as WireEventBody);
}

const createText = (textDelta: string, part: string): Delta => delta("text", { textDelta, partKey: part });
const createThinking = (textDelta: string, part: string, summary?: number): Delta =>
  delta("thinking", summary === undefined ? { textDelta, partKey: part } : { textDelta, partKey: part, summary });
const createCall = (toolCallId: string, objectArgs: boolean, ...argsTextDeltas: string[]): Delta[] => [
  delta("tool_call_start", { toolCallId, toolName: "rise", ...(objectArgs && { objectArgs }) }),
  ...argsTextDeltas.map((argsTextDelta) => delta("tool_call_args", { toolCallId, argsTextDelta })),
  delta("tool_call_end", { toolCallId }),
];
const createAnnotation = (part: string, start: number, end: number): Delta =>
  delta("annotation", {
    annotation: { kind: "url", url: "https://stars.example", span: { start, end } },
    partKey: part,
  });

/** Returns the items of the last event. */
function lastOutput(wires: readonly WireEventBody[]): WireEventBody[] {
  const { response } = (wires.at(-1) ?? {}) as { response?: { output: WireEventBody[] } };
  return response?.output ?? [];
}

/** Joins the deltas of the events, by item and block. */
function joinDeltas(wires: readonly WireEventBody[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { type, output_index, content_index, summary_index, delta: piece } of wires) {
    const [, kind] = /^response\.(.*)\.delta$/.exec(String(type)) ?? [];
    if (kind === undefined) continue;
    const key = [output_index, kind, content_index ?? summary_index ?? 0].join(" ");
    texts.set(key, (texts.get(key) ?? "") + String(piece));
  }
  return texts;
}

/** Joins the same texts of the last event. */
function joinOutput(output: readonly WireEventBody[]): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (key: string, text: unknown): void => {
    if (typeof text === "string" && text !== "") texts.set(key, text);
  };
  output.forEach(({ type, content, summary, arguments: args, input }, index) => {
    const kind = type === "reasoning" ? "reasoning_text" : "output_text";
    ((content ?? []) as WireEventBody[]).forEach(({ text, refusal }, at) => {
      add(`${index} ${refusal === undefined ? kind : "refusal"} ${at}`, text ?? refusal);
    });
    ((summary ?? []) as WireEventBody[]).forEach(({ text }, at) => add(`${index} reasoning_summary_text ${at}`, text));
    add(`${index} function_call_arguments 0`, args);
    add(`${index} custom_tool_call_input 0`, input);
  });
  return texts;
}

const LATE_DELTAS: readonly [string, Delta[], string[]][] = [
  [
    "a text that continues after a call",
    [createText("A1", "a"), ...call("c", "{}"), createText("A2", "a"), createText("A3", "a")],
    ["message", "function_call", "message"],
  ],
  [
    "a text that continues while a call grows",
    [
      createText("A1", "a"),
      ...call("c", "{}").slice(0, 2),
      createText("A2", "a"),
      ...call("c", "{}").slice(2),
      createText("A3", "a"),
    ],
    ["message", "function_call", "message"],
  ],
  [
    "reasoning and a text in turn",
    [createThinking("r1", "r"), createText("A1", "a"), createThinking("r2", "r"), createText("A2", "a")],
    ["reasoning", "message", "reasoning", "message"],
  ],
  [
    "summaries that continue after a text",
    [
      createThinking("s0", "r", 0),
      createThinking("s1", "r", 1),
      createText("A1", "a"),
      createThinking("more", "r", 1),
      createThinking("s2", "r", 2),
    ],
    ["reasoning", "message", "reasoning"],
  ],
  [
    "two texts in turn",
    [createText("A1", "a"), createText("B1", "b"), createText("A2", "a"), createText("B2", "b")],
    ["message"],
  ],
  [
    "a text that continues after the next one has started empty",
    [createText("A1", "a"), createText("", "b"), createText("A2", "a"), createText("B1", "b"), ...call("c", "{}")],
    ["message", "function_call"],
  ],
  [
    "two texts in turn, and empty reasoning",
    [createText("A1", "a"), createText("B1", "b"), createText("A2", "a"), createThinking("", "r")],
    ["message", "reasoning"],
  ],
  [
    "a refusal that continues after a call",
    [
      delta("refusal", { textDelta: "N", partKey: "n" }),
      ...call("c", "1"),
      delta("refusal", { textDelta: "o", partKey: "n" }),
    ],
    ["message", "function_call", "message"],
  ],
  ["a call without arguments", createCall("c", false), ["function_call"]],
  ["a call without arguments from a dialect whose arguments are objects", createCall("c", true), ["function_call"]],
  ["arguments with spaces", createCall("c", true, '{"star": ', '"Vega"}'), ["function_call"]],
  [
    "arguments with digits that a double cannot hold",
    createCall("c", true, '{"a": 12345678901234567890}'),
    ["function_call"],
  ],
];

describe("B83: the content of the events equals that of the last event", () => {
  test.each(LATE_DELTAS)("%s", (_, deltas, types) => {
    const wires = encodeEvents(answer(...deltas));
    const output = lastOutput(wires);
    expect(output.map(({ type }) => type)).toStrictEqual(types);
    expect(joinDeltas(wires)).toStrictEqual(joinOutput(output));
    const done = wires.filter(({ type }) => type === "response.output_item.done");
    expect(done.toSorted((one, other) => Number(one["output_index"]) - Number(other["output_index"]))).toMatchObject(
      output.map((item, output_index) => ({ item, output_index })),
    );
  });

  test("a text that continues in another item is reported and complete", () => {
    const { events, losses } = encodeDeltas(
      dialect,
      answer(createText("A1", "a"), ...call("c", "{}"), createText("A2", "a")),
    );
    expect(losses.filter(({ code }) => code === "part-split")).toMatchObject([{ path: "/message/parts/0" }]);
    const { message } = assemble(decodeEvents(dialect, events));
    expect(message.parts).toMatchObject([{ text: "A1" }, { type: "tool-call" }, { text: "A2" }]);
  });

  test("log probabilities stay with their texts", () => {
    const logprobs = (token: string): Delta =>
      delta("text", { textDelta: token, partKey: "a", logprobs: [{ token, logprob: -1 }] });
    const wires = encodeEvents(answer(logprobs("A1"), ...call("c", "{}"), logprobs("A2")));
    const output = lastOutput(wires);
    const tokens = output.map(({ content }) => (content as WireEventBody[] | undefined)?.[0]?.["logprobs"]);
    expect(tokens).toMatchObject([[{ token: "A1" }], undefined, [{ token: "A2" }]]);
  });

  test("late citations are sent at once, with the text that they cite", () => {
    const deltas = [
      createText("Hello", "a"),
      ...call("c", "{}"),
      createAnnotation("a", 0, 5),
      createText(" Vega", "a"),
      createAnnotation("a", 6, 10),
    ];
    const wires = encodeEvents(answer(...deltas));
    const cited = wires.filter(({ type }) => type === "response.output_text.annotation.added");
    expect(cited).toMatchObject([
      { output_index: 0, annotation_index: 0, annotation: { start_index: 0, end_index: 5 } },
      { output_index: 2, annotation_index: 0, annotation: { start_index: 1, end_index: 5 } },
    ]);
    expect(wires.at(-1)).toMatchObject({
      response: {
        output: [
          { content: [{ annotations: [{ start_index: 0, end_index: 5 }] }] },
          { type: "function_call" },
          { content: [{ annotations: [{ start_index: 1, end_index: 5 }] }] },
        ],
      },
    });
  });

  test("text after a call of a Chat stream is sent at once", () => {
    const chunk = (texts: WireEventBody, finish_reason: string | null = null): WireEventBody => ({
      id: "chat_1",
      object: "chat.completion.chunk",
      created: 1,
      model: "star-1",
      choices: [{ index: 0, delta: texts, finish_reason }],
    });
    const tool = { index: 0, id: "t1", type: "function", function: { name: "rise", arguments: "{}" } };
    const encoder = dialect.streamEncoder();
    const decoder = dialectOf("openai-chat").streamDecoder();
    const events = [{ role: "assistant", content: "A1" }, { tool_calls: [tool] }, { content: "A2" }, { content: "A3" }];
    const live = events.map((piece) => {
      const events = decoder.push(chunk(piece)).flatMap((each) => encoder.push(each));
      return [...joinDeltas(events.map(({ data }) => data as WireEventBody)).values()].join("");
    });
    expect(live).toStrictEqual(["A1", "{}", "A2", "A3"]);
  });
});

describe("calls", () => {
  test("the item of a call is sent when the call starts", () => {
    const encoder = dialect.streamEncoder();
    encoder.push(START);
    const [event] = encoder.push(delta("tool_call_start", { toolCallId: "c", toolName: "rise", partKey: 0 }));
    expect(event?.data).toMatchObject({ type: "response.output_item.added", item: { call_id: "c", name: "rise" } });
  });

  test.each([undefined, "fc_1"])("an item with the id %s has it from its first event", (id) => {
    const item = { type: "function_call", call_id: "c", name: "rise", arguments: "", ...(id !== undefined && { id }) };
    const [created, progress, , done] = stream([messageEvents(0, "m", "")], []).toSpliced(3, 5);
    const added = { type: "response.output_item.added", output_index: 0, item };
    const wires = encodeEvents(decodeEvents(dialect, [created, progress, added, done]));
    const started = wires.find(({ type }) => type === "response.output_item.added");
    expect((started?.["item"] as WireEventBody | undefined)?.["id"]).toBe(id);
    expect(started).toBeDefined();
  });
});

describe("failures", () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const own = { type: "error", code: "server_error", message: "Gone.", param: null, sequence_number: 70 };
  const failed = (raw: unknown): WireEventBody[] =>
    encodeEvents([
      START,
      createText("Ve", "a"),
      delta("error", { errorCode: "overloaded", message: "Overloaded", raw }),
    ]);

  test("B86: an error of another dialect becomes a failed response", () => {
    expect(failed(error).at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { message: "Overloaded" } },
    });
  });

  test("B86: an item that a failure interrupts is incomplete", () => {
    expect(failed(undefined).at(-1)).toMatchObject({ response: { output: [{ status: "incomplete" }] } });
    const done = [START, createText("Vega.", "a"), ...call("c", "{}"), delta("error", { errorCode: "server" })];
    expect(encodeEvents(done).at(-1)).toMatchObject({
      response: { output: [{ status: "completed" }, { status: "completed" }] },
    });
  });

  test("B83: error events and unknown events get new sequence numbers", () => {
    const events = stream([[{ type: "response.brand_new", mood: 1 }], messageEvents(0, "msg_1", "Vega.")], []);
    const wires = encodeEvents(decodeEvents(dialect, [...events.slice(0, -1), own]));
    expect(wires.map((wire) => wire["sequence_number"])).toStrictEqual(wires.map((_, index) => index));
    expect(wires.slice(-2)).toMatchObject([
      { type: "response.brand_new", mood: 1 },
      { type: "error", code: "server_error", message: "Gone." },
    ]);
  });
});
