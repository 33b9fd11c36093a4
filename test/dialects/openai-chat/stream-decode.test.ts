// Tests decoding of chunk streams: the assignment of call fragments, the assembled answer, and conformance.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Part, ToolCallPart } from "../../../src/model/parts.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { streamConformance } from "../../../src/testkit/conformance/stream-conformance.ts";
import { assembleAnswers, decodeEvents, findViolations } from "../../../src/testkit/checks/stream-helpers.ts";
import { calls, endChunk, failedStreams, role, deltaChunk, wholeStreams } from "./stream-samples.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = openaiChat();

function decodeAnswer(...events: unknown[]): ModelResponse {
  const deltas = decodeEvents(dialect, events);
  expect(findViolations(deltas)).toStrictEqual([]);
  const [answer] = assembleAnswers(deltas);
  if (answer === undefined) throw new Error("There is no answer.");
  return answer;
}

function summarizePart(part: Part): unknown {
  if (part.type === "tool-call") return [part.toolCallId, part.toolName, part.input];
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal"
    ? `${part.type}: ${part.text}`
    : part.type;
}

describe("conformance", () => {
  const exceptions = [
    {
      at: /^\/message\/parts/,
      reason: "Chunks show which field came first; complete answers have one order (tested below).",
    },
    { at: /^\/message\/extra$/, reason: "Every stream begins with an empty content, which has no meaning." },
  ];
  const samples = [...wholeStreams, ...failedStreams];
  // True for fields that only pad a chunk.
  const repeats = (_: unknown, path: string): boolean => path.startsWith("/obfuscation");
  for (const { title, run } of streamConformance(dialect, {
    samples,
    exceptions,
    mutants: scaleRunCount(60),
    isRepeatedField: repeats,
  }))
    test(title, run);
});

describe("B18: fragments are assigned to their calls", () => {
  const fn = (name: string | undefined, args?: string): object => ({
    function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
  });
  const rows: [sentence: string, chunks: object[], expected: unknown[]][] = [
    [
      "by index, with ids in the first fragment only",
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
      "by an id in every fragment",
      [calls({ index: 0, id: "a", ...fn("f", '{"x"') }), calls({ index: 0, id: "a", ...fn("f", ":1}") })],
      [["a", "f", { x: 1 }]],
    ],
    [
      "under one index, with different ids",
      [calls({ index: 0, id: "a", ...fn("f", "{}") }), calls({ index: 0, id: "b", ...fn("f", '{"x":1}') })],
      [
        ["a", "f", {}],
        ["b", "f", { x: 1 }],
      ],
    ],
    [
      "in one chunk, under one index and without ids",
      [calls({ index: 0, ...fn("f", "{}") }, { index: 0, ...fn("f", "{}") })],
      [
        ["call_chatcmpl-01_1", "f", {}],
        ["call_chatcmpl-01_2", "f", {}],
      ],
    ],
    [
      "complete calls under one index, without ids",
      [calls({ index: 0, ...fn("f", '{"x":1}') }), calls({ index: 0, ...fn("f", '{"x":2}') })],
      [
        ["call_chatcmpl-01_1", "f", { x: 1 }],
        ["call_chatcmpl-01_2", "f", { x: 2 }],
      ],
    ],
    [
      "under indexes that start at one and have gaps",
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
      "if the name follows the first arguments",
      [
        calls({ index: 0, id: "a", ...fn(undefined, '{"x"') }),
        calls({ index: 0, ...fn("f", undefined) }),
        calls({ index: 0, ...fn("", ":1}") }),
      ],
      [["a", "f", { x: 1 }]],
    ],
    [
      "if the name comes in fragments",
      [
        calls({ index: 0, id: "a", ...fn("look") }),
        calls({ index: 0, ...fn("_up") }),
        calls({ index: 0, ...fn(undefined, "{}") }),
      ],
      [["a", "look_up", {}]],
    ],
    [
      "if every fragment has another id",
      [
        calls({ index: 0, id: "a", ...fn("f", "") }),
        calls({ index: 0, id: "b", ...fn(undefined, '{"x":') }),
        calls({ index: 0, id: "c", ...fn(undefined, "1}") }),
      ],
      [["a", "f", { x: 1 }]],
    ],
    [
      "if every fragment has an id and the name",
      [calls({ index: 0, id: "a", ...fn("f", '{"x"') }), calls({ index: 0, id: "b", ...fn("f", ":1}") })],
      [["a", "f", { x: 1 }]],
    ],
    [
      "complete calls with one index and one name",
      [calls({ index: 0, id: "a", ...fn("f", "{}") }), calls({ index: 0, id: "b", ...fn("f", "{}") })],
      [
        ["a", "f", {}],
        ["b", "f", {}],
      ],
    ],
    [
      "if every fragment has the name and no id",
      [
        calls({ index: 0, ...fn("f", '{"x"') }),
        calls({ index: 0, ...fn("f", ':{"y":') }),
        calls({ index: 0, ...fn("f", "{}}}") }),
      ],
      [["call_chatcmpl-01_1", "f", { x: { y: {} } }]],
    ],
    [
      "B20: if there are no arguments",
      [calls({ index: 0, id: "a", ...fn("f", undefined) }), calls({ index: 1, id: "b", ...fn("g", "") })],
      [
        ["a", "f", {}],
        ["b", "g", {}],
      ],
    ],
    [
      "B17: if two calls have one id",
      [calls({ index: 0, id: "a", ...fn("f", "{}") }, { index: 1, id: "a", ...fn("g", "{}") })],
      [
        ["a", "f", {}],
        ["call_chatcmpl-01_2", "g", {}],
      ],
    ],
    [
      "if the arguments are not a string",
      [calls({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } })],
      [["a", "f", { x: 1 }]],
    ],
  ];
  test.each(rows)("%s", (_, chunks, expected) => {
    expect(decodeAnswer(role, ...chunks, endChunk("tool_calls")).message.parts.map(summarizePart)).toStrictEqual(
      expected,
    );
  });

  test("B21: a call ends with its choice, not when its arguments can be parsed", () => {
    const decoder = dialect.streamDecoder();
    const kinds = [
      calls({ index: 0, id: "a", ...fn("f", "{}") }),
      deltaChunk({ content: "Hi." }),
      calls({ index: 0, ...fn(undefined, " ") }),
      endChunk("tool_calls"),
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

  test("a call starts when its id, name and arguments field have arrived", () => {
    const [, start] = dialect.streamDecoder().push(calls({ index: 0, id: "a", ...fn("f", "") }));
    expect(start).toMatchObject({ kind: "tool_call_start", payload: { toolCallId: "a", toolName: "f" } });
  });

  test("a call that started with a part of its name is invalid, and the rest becomes residue", () => {
    const [part] = decodeAnswer(
      calls({ index: 0, id: "a", ...fn("look", "") }),
      calls({ index: 0, ...fn("_up", "{}") }),
      endChunk("tool_calls"),
    ).message.parts;
    const rest = { "openai-chat": { function: { name: "_up" } } };
    expect(part).toMatchObject({ toolName: "look", invalid: true, extra: rest });
  });

  test("a fragment of an ended call becomes an opaque part", () => {
    const late = { index: 0, ...fn(undefined, "}") };
    const { parts } = decodeAnswer(
      calls({ index: 0, id: "a", ...fn("f", "{}") }),
      endChunk("tool_calls"),
      calls(late),
    ).message;
    expect(parts).toMatchObject([{ input: {} }, { type: "opaque", value: { tool_calls: [late] } }]);
  });

  test("an id that arrives after the start becomes residue", () => {
    const [part] = decodeAnswer(
      calls({ index: 0, ...fn("f", "{") }),
      calls({ index: 0, id: "late", ...fn(undefined, "}") }),
      endChunk(),
    ).message.parts;
    expect(part).toMatchObject({ toolCallId: "call_chatcmpl-01_1", extra: { "openai-chat": { id: "late" } } });
  });

  test("any interleaving of parallel calls gives the same calls", () => {
    const texts = ['{"a":"first"}', '{"b":["second"]}', "{}"];
    const fragments = texts.flatMap((text, index) => text.split("").map((sign) => ({ index, sign })));
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 2 }), { minLength: fragments.length, maxLength: fragments.length }),
        (order) => {
          const left = texts.map((text) => text.split(""));
          const startedCalls = texts.map((_, index) => calls({ index, id: `c${index}`, ...fn(`f${index}`, "") }));
          const chunks: object[] = [];
          for (const expected of [...order, 0, 1, 2].flatMap((index) => [index, 0, 1, 2])) {
            const sign = left[expected]?.shift();
            if (sign !== undefined) chunks.push(calls({ index: expected, ...fn(undefined, sign) }));
          }
          const { parts } = decodeAnswer(role, ...startedCalls, ...chunks, endChunk("tool_calls")).message;
          expect(parts.map((part) => (part as ToolCallPart).input)).toStrictEqual(
            texts.map((text) => JSON.parse(text) as unknown),
          );
        },
      ),
      { numRuns: scaleRunCount(50) },
    );
  });
});
