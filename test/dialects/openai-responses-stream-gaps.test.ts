// Streams of OpenAI's Responses as compatible servers send them: without places, ids or beginnings, or with others at
// the end than before. Every text and call is there once.
import { describe, expect, test } from "vitest";
import { assemble, checkDeltas } from "../../src/index.ts";
import type { Response as Answer } from "../../src/index.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import { answersOf, decodeEvents, encodeDeltas } from "../../src/testkit/stream-reading.ts";
import type { Wire } from "./openai-responses-stream-events.ts";
import { body, message, outputText, sayEvents, stream } from "./openai-responses-stream-events.ts";

const dialect = openaiResponses();

/** The parts of an answer in few words. */
function told({ message: { parts } }: Answer): string[] {
  return parts.map((part) => {
    if (part.type === "tool-call") return `${part.toolCallId} ${part.toolName} ${JSON.stringify(part.input)}`;
    if (part.type === "reasoning") return `thought ${part.text}${part.summary?.join("|") ?? ""}`;
    return part.type === "text" ? `said ${part.text}` : part.type;
  });
}

function answerOf(events: readonly unknown[]): Answer {
  const deltas = decodeEvents(dialect, events);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  return assemble(deltas);
}

const CREATED = { type: "response.created", response: body({ status: "in_progress", usage: null }) };
const call = (call_id: string | undefined, args: string, id?: string, name = "rise"): Wire => ({
  type: "function_call",
  ...(id !== undefined && { id }),
  ...(call_id !== undefined && { call_id }),
  name,
  arguments: args,
});
const said = (text: string, id?: string): Wire => {
  const { id: own, ...rest } = message("", [outputText(text)]);
  return id === undefined ? rest : { id: id || own, ...rest };
};
const thought = (text: string, id?: string): Wire => ({
  type: "reasoning",
  ...(id !== undefined && { id }),
  summary: text === "" ? [] : [{ type: "summary_text", text }],
});
const at = (output_index: number | undefined): Wire => (output_index === undefined ? {} : { output_index });
const added = (item: Wire, index?: number): Wire => ({ type: "response.output_item.added", item, ...at(index) });
const done = (item: Wire, index?: number): Wire => ({ type: "response.output_item.done", item, ...at(index) });
const ask = (delta: string, index?: number, item_id?: string): Wire => ({
  type: "response.function_call_arguments.delta",
  delta,
  ...at(index),
  ...(item_id !== undefined && { item_id }),
});
const completed = (output: Wire[]): Wire => ({ type: "response.completed", response: body({ output }) });

const ROWS: readonly [string, Wire[], string[]][] = [
  [
    "B18: finished items without places are told apart by their ids",
    [
      done(said("Vega.", "m1")),
      done(call("c1", '{"a":1}', "f1")),
      done(call("c2", '{"a":2}', "f2")),
      { type: "response.completed", response: { id: "resp_lyra" } },
    ],
    ["said Vega.", 'c1 rise {"a":1}', 'c2 rise {"a":2}'],
  ],
  [
    "B18: finished items without places and ids are told apart by their types and calls",
    [done(said("Vega.")), done(call("c1", '{"a":1}')), done(call("c2", '{"a":2}')), completed([])],
    ["said Vega.", 'c1 rise {"a":1}', 'c2 rise {"a":2}'],
  ],
  [
    "B18: a finished item without a place is the one that has begun",
    [added(call("c1", "")), ask('{"a"'), ask(":1}"), done(call("c1", '{"a":1}')), completed([])],
    ['c1 rise {"a":1}'],
  ],
  [
    "B18: calls that begin without places and ids end as those they are",
    [added(call("c1", "")), added(call("c2", "")), done(call("c1", "1")), done(call("c2", "2")), completed([])],
    ["c1 rise 1", "c2 rise 2"],
  ],
  [
    "B18: a finished call is a call, whatever has been said in its place",
    [
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Vega." },
      done(call("c1", '{"a":1}', "f1"), 0),
      completed([]),
    ],
    ["said Vega.", 'c1 rise {"a":1}'],
  ],
  ...[undefined, "other"].map((id): [string, Wire[], string[]] => [
    `B77: an end that leaves out the thought, with ${id === undefined ? "no id" : "another id"}, does not say the call twice`,
    [
      added(thought("", "rs1"), 0),
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm." },
      added(call("c1", "", "f1"), 1),
      ask('{"a":1}', 1, "f1"),
      done(call("c1", '{"a":1}', "f1"), 1),
      completed([call("c1", '{"a":1}', id)]),
    ],
    ["thought Hm.", 'c1 rise {"a":1}'],
  ]),
  [
    "B77: an end in another order and with other ids says nothing twice",
    [
      ...sayEvents(0, "m1", "Vega."),
      added(call("c1", "", "f1"), 1),
      ask('{"a":1}', 1, "f1"),
      completed([call("c1", '{"a":1}', "g1"), said("Vega.", "n1")]),
    ],
    ["said Vega.", 'c1 rise {"a":1}'],
  ],
  [
    "B77: an end that calls the call itself otherwise does not say it twice",
    [added(call("c1", "", "f1"), 0), ask('{"a":1}', 0, "f1"), completed([call("d1", '{"a":1}', "g1")])],
    ['c1 rise {"a":1}'],
  ],
  [
    "B77: another call in the place of one that was said is a call",
    [added(call("c1", "", "f1"), 0), ask('{"a":1}', 0, "f1"), completed([call("d1", '{"a":2}', "g1")])],
    ['c1 rise {"a":1}', 'd1 rise {"a":2}'],
  ],
  [
    "B18: arguments of a call that has no id yet are kept",
    [added(call(undefined, "", "f1"), 0), ask('{"a"', 0, "f1"), ask(":1}", 0, "f1"), completed([])],
    ['call_resp_lyra_1 rise {"a":1}'],
  ],
  [
    "B18: arguments of a call that has no name yet are kept, and the name may come with their end",
    [
      added(call("c1", "", "f1", ""), 0),
      ask('{"a"', 0, "f1"),
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}', name: "rise" },
      completed([]),
    ],
    ['c1 rise {"a":1}'],
  ],
  [
    "B18: a name that comes with a second beginning is the name",
    [added(call("c1", "", "f1", ""), 0), ask('{"a"', 0), added(call("c1", "", "f1"), 0), ask(":1}", 0), completed([])],
    ['c1 rise {"a":1}'],
  ],
  [
    "B18: two calls in one place without ids of their items are two",
    [added(call("c1", ""), 0), ask('{"a":1}', 0), added(call("c2", ""), 0), ask('{"a":2}', 0), completed([])],
    ['c1 rise {"a":1}', 'c2 rise {"a":2}'],
  ],
  [
    "B76: a text and a call in one place without ids are two",
    [
      added(said(""), 0),
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Vega." },
      added(call("c2", ""), 0),
      ask('{"a":2}', 0),
      completed([]),
    ],
    ["said Vega.", 'c2 rise {"a":2}'],
  ],
];

describe("items that are named badly", () => {
  test.each(ROWS)("%s", (_, events, parts) => {
    expect(told(answerOf([CREATED, ...events]))).toStrictEqual(parts);
  });

  test("B31: what was asked before a stream broke off is told, though the call never began", () => {
    const deltas = decodeEvents(dialect, [CREATED, added(call(undefined, "", "f1"), 0), ask('{"a"', 0, "f1")]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(answersOf(deltas)[0]?.message.parts).toMatchObject([{ toolName: "rise", inputText: '{"a"', invalid: true }]);
  });
});

describe("an answer without its beginning", () => {
  const events = stream([sayEvents(0, "msg_1", "Vega.")], [message("msg_1", [outputText("Vega.")])]).slice(2);

  test("B43: what it is called is kept beside it", () => {
    const { id, extra } = answerOf(events);
    expect(id).toBe("");
    expect(extra?.["openai-responses"]).toMatchObject({ id: "resp_lyra", model: "star-1", created_at: 1760000000 });
    expect(dialect.encodeResponse(answerOf(events)).wire).toMatchObject({ id: "resp_lyra", model: "star-1" });
  });

  test("B43: and is kept, too, where it breaks off", () => {
    const begun = { type: "response.in_progress", response: body({ status: "in_progress" }) };
    const [partial] = answersOf(decodeEvents(dialect, [...events.slice(0, 3), begun]));
    expect(partial?.extra?.["openai-responses"]).toMatchObject({ id: "resp_lyra" });
  });

  test("B83: written again, it has one name from the first event to the last, and that is reported", () => {
    const { events: again, losses } = encodeDeltas(dialect, decodeEvents(dialect, events));
    const names = again.flatMap(({ data }) => {
      const { response } = data as { response?: Wire };
      return response === undefined ? [] : [response["id"]];
    });
    expect(new Set(names)).toStrictEqual(new Set([""]));
    expect(losses).toContainEqual(
      expect.objectContaining({ code: "field-unsaid", path: "/extra/openai-responses/id" }),
    );
  });
});
