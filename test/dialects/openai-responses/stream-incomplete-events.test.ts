// Tests Responses streams of compatible servers: without output indexes, ids or first events, or with other ids at the
// end. Every text and call must be emitted once.
import { describe, expect, test } from "vitest";
import { assemble, checkDeltas } from "../../../src/index.ts";
import type { ModelResponse as Answer } from "../../../src/index.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import { assembleAnswers, decodeEvents, encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";
import type { WireEventBody } from "./stream-events.ts";
import { responseBody, message, outputText, messageEvents, stream } from "./stream-events.ts";

const dialect = openaiResponses();

/** Summarizes the parts of an answer. */
function summarizeParts({ message: { parts } }: Answer): string[] {
  return parts.map((part) => {
    if (part.type === "tool-call") return `${part.toolCallId} ${part.toolName} ${JSON.stringify(part.input)}`;
    if (part.type === "reasoning") return `thought ${part.text}${part.summary?.join("|") ?? ""}`;
    return part.type === "text" ? `text ${part.text}` : part.type;
  });
}

function decodeAnswer(events: readonly unknown[]): Answer {
  const deltas = decodeEvents(dialect, events);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  return assemble(deltas);
}

const CREATED = { type: "response.created", response: responseBody({ status: "in_progress", usage: null }) };
const call = (call_id: string | undefined, args: string, id?: string, name = "rise"): WireEventBody => ({
  type: "function_call",
  ...(id !== undefined && { id }),
  ...(call_id !== undefined && { call_id }),
  name,
  arguments: args,
});
const textItem = (text: string, id?: string): WireEventBody => {
  const { id: own, ...rest } = message("", [outputText(text)]);
  return id === undefined ? rest : { id: id || own, ...rest };
};
const reasoningItem = (text: string, id?: string): WireEventBody => ({
  type: "reasoning",
  ...(id !== undefined && { id }),
  summary: text === "" ? [] : [{ type: "summary_text", text }],
});
const at = (output_index: number | undefined): WireEventBody => (output_index === undefined ? {} : { output_index });
const added = (item: WireEventBody, index?: number): WireEventBody => ({
  type: "response.output_item.added",
  item,
  ...at(index),
});
const done = (item: WireEventBody, index?: number): WireEventBody => ({
  type: "response.output_item.done",
  item,
  ...at(index),
});
const argumentsDelta = (delta: string, index?: number, item_id?: string): WireEventBody => ({
  type: "response.function_call_arguments.delta",
  delta,
  ...at(index),
  ...(item_id !== undefined && { item_id }),
});
const completed = (output: WireEventBody[]): WireEventBody => ({
  type: "response.completed",
  response: responseBody({ output }),
});

const ROWS: readonly [string, WireEventBody[], string[]][] = [
  [
    "B18: finished items without output indexes are separated by their ids",
    [
      done(textItem("Vega.", "m1")),
      done(call("c1", '{"a":1}', "f1")),
      done(call("c2", '{"a":2}', "f2")),
      { type: "response.completed", response: { id: "resp_lyra" } },
    ],
    ["text Vega.", 'c1 rise {"a":1}', 'c2 rise {"a":2}'],
  ],
  [
    "B18: finished items without indexes and ids are separated by their types and call ids",
    [done(textItem("Vega.")), done(call("c1", '{"a":1}')), done(call("c2", '{"a":2}')), completed([])],
    ["text Vega.", 'c1 rise {"a":1}', 'c2 rise {"a":2}'],
  ],
  [
    "B18: a finished item without an index is the open one",
    [added(call("c1", "")), argumentsDelta('{"a"'), argumentsDelta(":1}"), done(call("c1", '{"a":1}')), completed([])],
    ['c1 rise {"a":1}'],
  ],
  [
    "B18: calls that start without indexes and ids are matched with their finished items",
    [added(call("c1", "")), added(call("c2", "")), done(call("c1", "1")), done(call("c2", "2")), completed([])],
    ["c1 rise 1", "c2 rise 2"],
  ],
  [
    "B18: a finished call is emitted even if its index had other content",
    [
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Vega." },
      done(call("c1", '{"a":1}', "f1"), 0),
      completed([]),
    ],
    ["text Vega.", 'c1 rise {"a":1}'],
  ],
  ...[undefined, "other"].map((id): [string, WireEventBody[], string[]] => [
    `B77: an end that leaves out the thought, with ${id === undefined ? "no id" : "another id"}, does not say the call twice`,
    [
      added(reasoningItem("", "rs1"), 0),
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm." },
      added(call("c1", "", "f1"), 1),
      argumentsDelta('{"a":1}', 1, "f1"),
      done(call("c1", '{"a":1}', "f1"), 1),
      completed([call("c1", '{"a":1}', id)]),
    ],
    ["thought Hm.", 'c1 rise {"a":1}'],
  ]),
  [
    "B77: final items in another order and with other ids repeat nothing",
    [
      ...messageEvents(0, "m1", "Vega."),
      added(call("c1", "", "f1"), 1),
      argumentsDelta('{"a":1}', 1, "f1"),
      completed([call("c1", '{"a":1}', "g1"), textItem("Vega.", "n1")]),
    ],
    ["text Vega.", 'c1 rise {"a":1}'],
  ],
  [
    "B77: a final call with another call id is not emitted twice",
    [added(call("c1", "", "f1"), 0), argumentsDelta('{"a":1}', 0, "f1"), completed([call("d1", '{"a":1}', "g1")])],
    ['c1 rise {"a":1}'],
  ],
  [
    "B77: a different final call at the index of an emitted one is emitted",
    [added(call("c1", "", "f1"), 0), argumentsDelta('{"a":1}', 0, "f1"), completed([call("d1", '{"a":2}', "g1")])],
    ['c1 rise {"a":1}', 'd1 rise {"a":2}'],
  ],
  [
    "B18: arguments of a call without an id are stored until it starts",
    [
      added(call(undefined, "", "f1"), 0),
      argumentsDelta('{"a"', 0, "f1"),
      argumentsDelta(":1}", 0, "f1"),
      completed([]),
    ],
    ['call_resp_lyra_1 rise {"a":1}'],
  ],
  [
    "B18: arguments of a call without a name are stored, and the name can come with their end",
    [
      added(call("c1", "", "f1", ""), 0),
      argumentsDelta('{"a"', 0, "f1"),
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}', name: "rise" },
      completed([]),
    ],
    ['c1 rise {"a":1}'],
  ],
  [
    "B18: the name can come with a second first event",
    [
      added(call("c1", "", "f1", ""), 0),
      argumentsDelta('{"a"', 0),
      added(call("c1", "", "f1"), 0),
      argumentsDelta(":1}", 0),
      completed([]),
    ],
    ['c1 rise {"a":1}'],
  ],
  [
    "B18: two calls with one index and without item ids are two calls",
    [
      added(call("c1", ""), 0),
      argumentsDelta('{"a":1}', 0),
      added(call("c2", ""), 0),
      argumentsDelta('{"a":2}', 0),
      completed([]),
    ],
    ['c1 rise {"a":1}', 'c2 rise {"a":2}'],
  ],
  [
    "B76: a text and a call with one index and without ids are two parts",
    [
      added(textItem(""), 0),
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Vega." },
      added(call("c2", ""), 0),
      argumentsDelta('{"a":2}', 0),
      completed([]),
    ],
    ["text Vega.", 'c2 rise {"a":2}'],
  ],
];

describe("items with missing or wrong identifiers", () => {
  test.each(ROWS)("%s", (_, events, parts) => {
    expect(summarizeParts(decodeAnswer([CREATED, ...events]))).toStrictEqual(parts);
  });

  test("B31: a call that never started is emitted when the stream breaks off", () => {
    const deltas = decodeEvents(dialect, [
      CREATED,
      added(call(undefined, "", "f1"), 0),
      argumentsDelta('{"a"', 0, "f1"),
    ]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(assembleAnswers(deltas)[0]?.message.parts).toMatchObject([
      { toolName: "rise", inputText: '{"a"', invalid: true },
    ]);
  });
});

describe("an answer without its first event", () => {
  const events = stream([messageEvents(0, "msg_1", "Vega.")], [message("msg_1", [outputText("Vega.")])]).slice(2);

  test("B43: its id, model and date become residue", () => {
    const { id, extra } = decodeAnswer(events);
    expect(id).toBe("");
    expect(extra?.["openai-responses"]).toMatchObject({ id: "resp_lyra", model: "star-1", created_at: 1760000000 });
    expect(dialect.encodeResponse(decodeAnswer(events)).wire).toMatchObject({ id: "resp_lyra", model: "star-1" });
  });

  test("B43: its id, model and date become residue even if it breaks off", () => {
    const started = { type: "response.in_progress", response: responseBody({ status: "in_progress" }) };
    const [partial] = assembleAnswers(decodeEvents(dialect, [...events.slice(0, 3), started]));
    expect(partial?.extra?.["openai-responses"]).toMatchObject({ id: "resp_lyra" });
  });

  test("B83: encoded again, it has one id in all events, and the loss is reported", () => {
    const { events: encodedAgain, losses } = encodeDeltas(dialect, decodeEvents(dialect, events));
    const names = encodedAgain.flatMap(({ data }) => {
      const { response } = data as { response?: WireEventBody };
      return response === undefined ? [] : [response["id"]];
    });
    expect(new Set(names)).toStrictEqual(new Set([""]));
    expect(losses).toContainEqual(
      expect.objectContaining({ code: "field-unsupported", path: "/extra/openai-responses/id" }),
    );
  });
});
