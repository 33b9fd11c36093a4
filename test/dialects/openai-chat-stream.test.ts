// Streams of chunks, read: which call a piece belongs to, what the answer is in the end, and the suite for streams.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat/index.ts";
import type { Part, ToolCallPart } from "../../src/model/parts.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { streamConformance } from "../../src/testkit/stream-conformance.ts";
import { answersOf, decodeEvents, illegalities } from "../../src/testkit/stream-reading.ts";
import { calls, ended, failedStreams, role, said, wholeStreams } from "./openai-chat-stream-samples.ts";
import { tries } from "../support/tries.ts";

const dialect = openaiChat();

function read(...events: unknown[]): ModelResponse {
  const deltas = decodeEvents(dialect, events);
  expect(illegalities(deltas)).toStrictEqual([]);
  const [answer] = answersOf(deltas);
  if (answer === undefined) throw new Error("There is no answer.");
  return answer;
}

function brief(part: Part): unknown {
  if (part.type === "tool-call") return [part.toolCallId, part.toolName, part.input];
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal"
    ? `${part.type}: ${part.text}`
    : part.type;
}

describe("the suite", () => {
  const exceptions = [
    {
      at: /^\/message\/parts/,
      reason: "Chunks tell which field came first; whole answers have one order (held below).",
    },
    { at: /^\/message\/extra$/, reason: "Every stream begins with an empty content, so that it says nothing." },
  ];
  const samples = [...wholeStreams, ...failedStreams];
  // What only pads a chunk, or tells pieces apart.
  const repeats = (_: unknown, path: string): boolean => path.startsWith("/obfuscation");
  for (const { title, run } of streamConformance(dialect, { samples, exceptions, mutants: tries(60), repeats }))
    test(title, run);
});

describe("B18: calls are told apart", () => {
  const fn = (name: string | undefined, args?: string): object => ({
    function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
  });
  const rows: [sentence: string, chunks: object[], found: unknown[]][] = [
    [
      "by index, with ids on the first delta only",
      [
        calls({ index: 0, id: "a", ...fn("f", "") }, { index: 1, id: "b", ...fn("g", "") }),
        calls({ index: 1, ...fn(undefined, '{"x":1}') }, { index: 0, ...fn(undefined, '{"y":2}') }),
      ],
      [
        ["a", "f", { y: 2 }],
        ["b", "g", { x: 1 }],
      ],
    ],
    [
      "with the id on every delta",
      [calls({ index: 0, id: "a", ...fn("f", '{"x"') }), calls({ index: 0, id: "a", ...fn("f", ":1}") })],
      [["a", "f", { x: 1 }]],
    ],
    [
      "under one index with different ids",
      [calls({ index: 0, id: "a", ...fn("f", "{}") }), calls({ index: 0, id: "b", ...fn("f", '{"x":1}') })],
      [
        ["a", "f", {}],
        ["b", "f", { x: 1 }],
      ],
    ],
    [
      "in one list under one index and without ids",
      [calls({ index: 0, ...fn("f", "{}") }, { index: 0, ...fn("f", "{}") })],
      [
        ["call_chatcmpl-01_1", "f", {}],
        ["call_chatcmpl-01_2", "f", {}],
      ],
    ],
    [
      "whole, one after the other, under one index and without ids",
      [calls({ index: 0, ...fn("f", '{"x":1}') }), calls({ index: 0, ...fn("f", '{"x":2}') })],
      [
        ["call_chatcmpl-01_1", "f", { x: 1 }],
        ["call_chatcmpl-01_2", "f", { x: 2 }],
      ],
    ],
    [
      "under indexes that begin at one, and have holes",
      [calls({ index: 1, id: "a", ...fn("f", "{}") }), calls({ index: 7, id: "b", ...fn("g", "{}") })],
      [
        ["a", "f", {}],
        ["b", "g", {}],
      ],
    ],
    [
      "without indexes, by their ids",
      [
        calls({ id: "a", ...fn("f", "{") }),
        calls({ id: "b", ...fn("g", "{}") }),
        calls({ id: "a", ...fn(undefined, "}") }),
      ],
      [
        ["a", "f", {}],
        ["b", "g", {}],
      ],
    ],
    [
      "without indexes and ids, by their order",
      [calls(fn("f", '{"x"')), calls(fn(undefined, ":1}")), calls(fn("g", "{}"))],
      [
        ["call_chatcmpl-01_1", "f", { x: 1 }],
        ["call_chatcmpl-01_2", "g", {}],
      ],
    ],
    [
      "whose name comes after the first arguments",
      [
        calls({ index: 0, id: "a", ...fn(undefined, '{"x"') }),
        calls({ index: 0, ...fn("f", undefined) }),
        calls({ index: 0, ...fn("", ":1}") }),
      ],
      [["a", "f", { x: 1 }]],
    ],
    [
      "whose name comes in pieces",
      [
        calls({ index: 0, id: "a", ...fn("look") }),
        calls({ index: 0, ...fn("_up") }),
        calls({ index: 0, ...fn(undefined, "{}") }),
      ],
      [["a", "look_up", {}]],
    ],
    [
      "whose pieces have an id each",
      [
        calls({ index: 0, id: "a", ...fn("f", "") }),
        calls({ index: 0, id: "b", ...fn(undefined, '{"x":') }),
        calls({ index: 0, id: "c", ...fn(undefined, "1}") }),
      ],
      [["a", "f", { x: 1 }]],
    ],
    [
      "whose pieces have an id and the name each",
      [calls({ index: 0, id: "a", ...fn("f", '{"x"') }), calls({ index: 0, id: "b", ...fn("f", ":1}") })],
      [["a", "f", { x: 1 }]],
    ],
    [
      "whole ones that share an index and a name",
      [calls({ index: 0, id: "a", ...fn("f", "{}") }), calls({ index: 0, id: "b", ...fn("f", "{}") })],
      [
        ["a", "f", {}],
        ["b", "f", {}],
      ],
    ],
    [
      "whose name is on every delta, without ids",
      [
        calls({ index: 0, ...fn("f", '{"x"') }),
        calls({ index: 0, ...fn("f", ':{"y":') }),
        calls({ index: 0, ...fn("f", "{}}}") }),
      ],
      [["call_chatcmpl-01_1", "f", { x: { y: {} } }]],
    ],
    [
      "B20: without arguments",
      [calls({ index: 0, id: "a", ...fn("f", undefined) }), calls({ index: 1, id: "b", ...fn("g", "") })],
      [
        ["a", "f", {}],
        ["b", "g", {}],
      ],
    ],
    [
      "B17: with one id for two of them",
      [calls({ index: 0, id: "a", ...fn("f", "{}") }, { index: 1, id: "a", ...fn("g", "{}") })],
      [
        ["a", "f", {}],
        ["call_chatcmpl-01_2", "g", {}],
      ],
    ],
    [
      "with arguments that are no text",
      [calls({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } })],
      [["a", "f", { x: 1 }]],
    ],
  ];
  test.each(rows)("%s", (_, chunks, found) => {
    expect(read(role, ...chunks, ended("tool_calls")).message.parts.map(brief)).toStrictEqual(found);
  });

  test("B21: a call ends with its answer, not when its arguments parse", () => {
    const decoder = dialect.streamDecoder();
    const kinds = [
      calls({ index: 0, id: "a", ...fn("f", "{}") }),
      said({ content: "Hi." }),
      calls({ index: 0, ...fn(undefined, " ") }),
      ended("tool_calls"),
      "[DONE]",
    ].map((chunk) => decoder.push(chunk).map(({ kind }) => kind));
    expect(kinds).toStrictEqual([
      ["start", "tool_call_start", "tool_call_args"],
      ["text"],
      ["tool_call_args"],
      ["tool_call_end"],
      ["done"],
    ]);
  });

  test("a call is told as soon as its id and name are known, and there is a place for arguments", () => {
    const [, start] = dialect.streamDecoder().push(calls({ index: 0, id: "a", ...fn("f", "") }));
    expect(start).toMatchObject({ kind: "tool_call_start", payload: { toolCallId: "a", toolName: "f" } });
  });

  test("a call that has been told with a part of its name is not to be run, and keeps the rest", () => {
    const [part] = read(
      calls({ index: 0, id: "a", ...fn("look", "") }),
      calls({ index: 0, ...fn("_up", "{}") }),
      ended("tool_calls"),
    ).message.parts;
    const rest = { "openai-chat": { function: { name: "_up" } } };
    expect(part).toMatchObject({ toolName: "look", invalid: true, extra: rest });
  });

  test("a piece of a call that has ended stays beside it", () => {
    const late = { index: 0, ...fn(undefined, "}") };
    const { parts } = read(calls({ index: 0, id: "a", ...fn("f", "{}") }), ended("tool_calls"), calls(late)).message;
    expect(parts).toMatchObject([{ input: {} }, { type: "opaque", value: { tool_calls: [late] } }]);
  });

  test("an id that comes too late stays beside the made one", () => {
    const [part] = read(
      calls({ index: 0, ...fn("f", "{") }),
      calls({ index: 0, id: "late", ...fn(undefined, "}") }),
      ended(),
    ).message.parts;
    expect(part).toMatchObject({ toolCallId: "call_chatcmpl-01_1", extra: { "openai-chat": { id: "late" } } });
  });

  test("any interleaving of parallel calls gives the same calls", () => {
    const texts = ['{"a":"first"}', '{"b":["second"]}', "{}"];
    const pieces = texts.flatMap((text, index) => text.split("").map((sign) => ({ index, sign })));
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 }), { minLength: pieces.length, maxLength: pieces.length }), (order) => {
        const left = texts.map((text) => text.split(""));
        const begun = texts.map((_, index) => calls({ index, id: `c${index}`, ...fn(`f${index}`, "") }));
        const chunks: object[] = [];
        for (const wanted of [...order, 0, 1, 2].flatMap((index) => [index, 0, 1, 2])) {
          const sign = left[wanted]?.shift();
          if (sign !== undefined) chunks.push(calls({ index: wanted, ...fn(undefined, sign) }));
        }
        const { parts } = read(role, ...begun, ...chunks, ended("tool_calls")).message;
        expect(parts.map((part) => (part as ToolCallPart).input)).toStrictEqual(
          texts.map((text) => JSON.parse(text) as unknown),
        );
      }),
      { numRuns: tries(50) },
    );
  });
});
