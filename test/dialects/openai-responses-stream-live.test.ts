// Streams of OpenAI's Responses as they are written while an answer comes: what the events say piece by piece, what they
// say when an item is done, and what the last one says of the whole answer are the same, whatever comes late.
import { describe, expect, test } from "vitest";
import { assemble, dialect as dialectOf } from "../../src/index.ts";
import type { Delta } from "../../src/index.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import { decodeEvents, encodeDeltas } from "../../src/testkit/stream-reading.ts";
import { answer, call, delta, START } from "../support/deltas.ts";
import type { Wire } from "./openai-responses-stream-events.ts";
import { sayEvents, stream } from "./openai-responses-stream-events.ts";

const dialect = openaiResponses();

function written(deltas: readonly Delta[]): Wire[] {
  return encodeDeltas(dialect, deltas).events.map(({ data }) => data as Wire);
}

const say = (textDelta: string, part: string): Delta => delta("text", { textDelta, part });
const think = (textDelta: string, part: string, summary?: number): Delta =>
  delta("thinking", summary === undefined ? { textDelta, part } : { textDelta, part, summary });
const ask = (toolCallId: string, objectArgs: boolean, ...pieces: string[]): Delta[] => [
  delta("tool_call_start", { toolCallId, toolName: "rise", ...(objectArgs && { objectArgs }) }),
  ...pieces.map((argsTextDelta) => delta("tool_call_args", { toolCallId, argsTextDelta })),
  delta("tool_call_end", { toolCallId }),
];
const cite = (part: string, start: number, end: number): Delta =>
  delta("annotation", { annotation: { kind: "url", url: "https://stars.example", span: { start, end } }, part });

/** The items that the last event says. */
function outputOf(wires: readonly Wire[]): Wire[] {
  const { response } = (wires.at(-1) ?? {}) as { response?: { output: Wire[] } };
  return response?.output ?? [];
}

/** What the deltas of an event's kind say, by the place that they say it in. */
function grown(wires: readonly Wire[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { type, output_index, content_index, summary_index, delta: piece } of wires) {
    const [, kind] = /^response\.(.*)\.delta$/.exec(String(type)) ?? [];
    if (kind === undefined) continue;
    const key = [output_index, kind, content_index ?? summary_index ?? 0].join(" ");
    texts.set(key, (texts.get(key) ?? "") + String(piece));
  }
  return texts;
}

/** The same texts, as the last event says them. */
function final(output: readonly Wire[]): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (key: string, text: unknown): void => {
    if (typeof text === "string" && text !== "") texts.set(key, text);
  };
  output.forEach(({ type, content, summary, arguments: args, input }, index) => {
    const kind = type === "reasoning" ? "reasoning_text" : "output_text";
    ((content ?? []) as Wire[]).forEach(({ text, refusal }, at) => {
      add(`${index} ${refusal === undefined ? kind : "refusal"} ${at}`, text ?? refusal);
    });
    ((summary ?? []) as Wire[]).forEach(({ text }, at) => add(`${index} reasoning_summary_text ${at}`, text));
    add(`${index} function_call_arguments 0`, args);
    add(`${index} custom_tool_call_input 0`, input);
  });
  return texts;
}

const LATE: readonly [string, Delta[], string[]][] = [
  [
    "a text that goes on after a call",
    [say("A1", "a"), ...call("c", "{}"), say("A2", "a"), say("A3", "a")],
    ["message", "function_call", "message"],
  ],
  [
    "a text that goes on while a call grows",
    [say("A1", "a"), ...call("c", "{}").slice(0, 2), say("A2", "a"), ...call("c", "{}").slice(2), say("A3", "a")],
    ["message", "function_call", "message"],
  ],
  [
    "a thought and a text in turn",
    [think("r1", "r"), say("A1", "a"), think("r2", "r"), say("A2", "a")],
    ["reasoning", "message", "reasoning", "message"],
  ],
  [
    "summaries that go on after a text",
    [think("s0", "r", 0), think("s1", "r", 1), say("A1", "a"), think("more", "r", 1), think("s2", "r", 2)],
    ["reasoning", "message", "reasoning"],
  ],
  ["two texts in turn", [say("A1", "a"), say("B1", "b"), say("A2", "a"), say("B2", "b")], ["message"]],
  [
    "a text that goes on after the next has begun with nothing",
    [say("A1", "a"), say("", "b"), say("A2", "a"), say("B1", "b"), ...call("c", "{}")],
    ["message", "function_call"],
  ],
  [
    "two texts in turn, and a thought of which nothing comes",
    [say("A1", "a"), say("B1", "b"), say("A2", "a"), think("", "r")],
    ["message", "reasoning"],
  ],
  [
    "a refusal that goes on after a call",
    [
      delta("refusal", { textDelta: "N", part: "n" }),
      ...call("c", "1"),
      delta("refusal", { textDelta: "o", part: "n" }),
    ],
    ["message", "function_call", "message"],
  ],
  ["a call without arguments", ask("c", false), ["function_call"]],
  ["a call of a source whose arguments are objects, without any", ask("c", true), ["function_call"]],
  ["arguments that are spelled with spaces", ask("c", true, '{"star": ', '"Vega"}'), ["function_call"]],
  ["arguments with digits that numbers lack", ask("c", true, '{"a": 12345678901234567890}'), ["function_call"]],
];

describe("B83: what is said live is what the last event says", () => {
  test.each(LATE)("%s", (_, deltas, types) => {
    const wires = written(answer(...deltas));
    const output = outputOf(wires);
    expect(output.map(({ type }) => type)).toStrictEqual(types);
    expect(grown(wires)).toStrictEqual(final(output));
    const done = wires.filter(({ type }) => type === "response.output_item.done");
    expect(done.toSorted((one, other) => Number(one["output_index"]) - Number(other["output_index"]))).toMatchObject(
      output.map((item, output_index) => ({ item, output_index })),
    );
  });

  test("a text that goes on in another item is reported, and nothing of it is lost", () => {
    const { events, losses } = encodeDeltas(dialect, answer(say("A1", "a"), ...call("c", "{}"), say("A2", "a")));
    expect(losses.filter(({ code }) => code === "part-split")).toMatchObject([{ path: "/message/parts/0" }]);
    const { message } = assemble(decodeEvents(dialect, events));
    expect(message.parts).toMatchObject([{ text: "A1" }, { type: "tool-call" }, { text: "A2" }]);
  });

  test("log probabilities stay with their texts", () => {
    const likely = (token: string): Delta =>
      delta("text", { textDelta: token, part: "a", logprobs: [{ token, logprob: -1 }] });
    const wires = written(answer(likely("A1"), ...call("c", "{}"), likely("A2")));
    const output = outputOf(wires);
    const tokens = output.map(({ content }) => (content as Wire[] | undefined)?.[0]?.["logprobs"]);
    expect(tokens).toMatchObject([[{ token: "A1" }], undefined, [{ token: "A2" }]]);
  });

  test("citations that come late are said at once, each with the text that it cites", () => {
    const deltas = [say("Hello", "a"), ...call("c", "{}"), cite("a", 0, 5), say(" Vega", "a"), cite("a", 6, 10)];
    const wires = written(answer(...deltas));
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

  test("a chat that goes on speaking after its call is heard at once", () => {
    const chunk = (said: Wire, finish_reason: string | null = null): Wire => ({
      id: "chat_1",
      object: "chat.completion.chunk",
      created: 1,
      model: "star-1",
      choices: [{ index: 0, delta: said, finish_reason }],
    });
    const tool = { index: 0, id: "t1", type: "function", function: { name: "rise", arguments: "{}" } };
    const encoder = dialect.streamEncoder();
    const decoder = dialectOf("openai-chat").streamDecoder();
    const pieces = [{ role: "assistant", content: "A1" }, { tool_calls: [tool] }, { content: "A2" }, { content: "A3" }];
    const live = pieces.map((piece) => {
      const events = decoder.push(chunk(piece)).flatMap((each) => encoder.push(each));
      return [...grown(events.map(({ data }) => data as Wire)).values()].join("");
    });
    expect(live).toStrictEqual(["A1", "{}", "A2", "A3"]);
  });
});

describe("calls", () => {
  test("the item of a call is there as soon as the call has begun", () => {
    const encoder = dialect.streamEncoder();
    encoder.push(START);
    const [event] = encoder.push(delta("tool_call_start", { toolCallId: "c", toolName: "rise", part: 0 }));
    expect(event?.data).toMatchObject({ type: "response.output_item.added", item: { call_id: "c", name: "rise" } });
  });

  test.each([undefined, "fc_1"])("an item that came with the id %s has it from its beginning", (id) => {
    const item = { type: "function_call", call_id: "c", name: "rise", arguments: "", ...(id !== undefined && { id }) };
    const [created, progress, , done] = stream([sayEvents(0, "m", "")], []).toSpliced(3, 5);
    const added = { type: "response.output_item.added", output_index: 0, item };
    const wires = written(decodeEvents(dialect, [created, progress, added, done]));
    const begun = wires.find(({ type }) => type === "response.output_item.added");
    expect((begun?.["item"] as Wire | undefined)?.["id"]).toBe(id);
    expect(begun).toBeDefined();
  });
});

describe("failures", () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const own = { type: "error", code: "server_error", message: "Gone.", param: null, sequence_number: 70 };
  const failed = (raw: unknown): Wire[] =>
    written([START, say("Ve", "a"), delta("error", { errorCode: "overloaded", message: "Overloaded", raw })]);

  test("B86: another dialect's error is a failure in this one's words", () => {
    expect(failed(error).at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { message: "Overloaded" } },
    });
  });

  test("B86: an item that a failure cuts off is not complete", () => {
    expect(failed(undefined).at(-1)).toMatchObject({ response: { output: [{ status: "incomplete" }] } });
    const done = [START, say("Vega.", "a"), ...call("c", "{}"), delta("error", { errorCode: "server" })];
    expect(written(done).at(-1)).toMatchObject({
      response: { output: [{ status: "completed" }, { status: "completed" }] },
    });
  });

  test("B83: an error of its own, and events that nobody knows, have numbers of this stream", () => {
    const events = stream([[{ type: "response.brand_new", mood: 1 }], sayEvents(0, "msg_1", "Vega.")], []);
    const wires = written(decodeEvents(dialect, [...events.slice(0, -1), own]));
    expect(wires.map((wire) => wire["sequence_number"])).toStrictEqual(wires.map((_, index) => index));
    expect(wires.slice(-2)).toMatchObject([
      { type: "response.brand_new", mood: 1 },
      { type: "error", code: "server_error", message: "Gone." },
    ]);
  });
});
