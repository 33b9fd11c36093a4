// Decoding of Anthropic streams: the deltas of each event.
import { describe, expect, test } from "vitest";
import { checkDeltas } from "../../../src/assembly/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Part } from "../../../src/model/parts.ts";
import { assembleAnswer, decode } from "./stream-helpers.ts";
import type { AnthropicStreamEvent } from "./stream-samples.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  callBlock,
  inputDeltaEvent,
  messageDelta,
  messageStart,
  textDeltaEvent,
  signatureDeltaEvent,
  STOP,
  stream,
  textBlock,
  thinkingDeltaEvent,
} from "./stream-samples.ts";

const seal = (value: string): object => ({ dialect: "anthropic", kind: "signature", value });
const decodeBlocks = (events: readonly AnthropicStreamEvent[]): Delta[] =>
  decode(stream(events)).filter(({ kind }) => !["start", "usage", "done"].includes(kind));

describe("events become deltas", () => {
  const deltas: readonly [sentence: string, events: AnthropicStreamEvent[], deltas: object[]][] = [
    [
      "text with an empty start",
      textBlock(0, "Hel", "lo"),
      [
        { kind: "text", payload: { textDelta: "", partKey: 0 } },
        { kind: "text", payload: { textDelta: "Hel", partKey: 0 } },
        { kind: "text", payload: { textDelta: "lo", partKey: 0 } },
      ],
    ],
    [
      "B4: thinking and its signature, also in one delta",
      [
        blockStart(0, { type: "thinking", thinking: "", signature: "" }),
        blockDelta(0, { type: "thinking_delta", thinking: "Hm.", signature: "czE=" }),
        blockStop(0),
      ],
      [
        { kind: "thinking", payload: { textDelta: "", partKey: 0 } },
        { kind: "thinking", payload: { textDelta: "Hm.", partKey: 0 } },
        { kind: "seal", payload: { seal: seal("czE="), partKey: 0 } },
      ],
    ],
    [
      "B3: signed thinking with an empty text",
      [blockStart(0, { type: "thinking", thinking: "", signature: "czE=" }), blockStop(0)],
      [
        { kind: "thinking", payload: { textDelta: "", partKey: 0 } },
        { kind: "seal", payload: { seal: seal("czE="), partKey: 0 } },
      ],
    ],
    [
      "B18: a call ends when the answer continues",
      [...callBlock(0, "a", ["", '{"x"', ":1}"]), blockStart(1, { type: "text", text: "" })],
      [
        { kind: "tool_call_start", payload: { toolCallId: "a", toolName: "look", objectArgs: true, partKey: 0 } },
        { kind: "tool_call_args", payload: { toolCallId: "a", argsTextDelta: '{"x"' } },
        { kind: "tool_call_args", payload: { toolCallId: "a", argsTextDelta: ":1}" } },
        { kind: "tool_call_end", payload: { toolCallId: "a" } },
        { kind: "text", payload: { textDelta: "", partKey: 1 } },
      ],
    ],
    [
      "arguments of the start event are used if no delta has any",
      callBlock(0, "a", [""], { input: { x: 1 } }),
      [
        { kind: "tool_call_start", payload: { toolCallId: "a", toolName: "look", objectArgs: true, partKey: 0 } },
        { kind: "tool_call_args", payload: { toolCallId: "a", argsTextDelta: '{"x":1}' } },
        { kind: "tool_call_end", payload: { toolCallId: "a" } },
      ],
    ],
    [
      "a redacted block is emitted whole",
      [blockStart(0, { type: "redacted_thinking", data: "cg==" }), blockStop(0)],
      [
        {
          kind: "part",
          payload: {
            value: { type: "reasoning", text: "", seals: [{ dialect: "anthropic", kind: "redacted", value: "cg==" }] },
            partKey: 0,
          },
        },
      ],
    ],
    [
      "B76: a delta of another kind than its block opens a new block",
      [
        blockStart(0, { type: "thinking", thinking: "" }),
        thinkingDeltaEvent(0, "Hm."),
        signatureDeltaEvent(0, "cw=="),
        textDeltaEvent(0, "Hey"),
      ],
      [
        { kind: "thinking", payload: { textDelta: "", partKey: 0 } },
        { kind: "thinking", payload: { textDelta: "Hm.", partKey: 0 } },
        { kind: "seal", payload: { seal: seal("cw=="), partKey: 0 } },
        { kind: "text", payload: { textDelta: "", partKey: 1 } },
        { kind: "text", payload: { textDelta: "Hey", partKey: 1 } },
      ],
    ],
  ];
  test.each(deltas)("%s", (_sentence, events, expected) => {
    expect(decodeBlocks(events)).toStrictEqual(expected);
  });

  test("start, token counts as soon as they arrive (B67), and the end", () => {
    const [start, usage, ...rest] = decode(stream([]));
    expect(start).toStrictEqual({
      kind: "start",
      payload: { modelId: "claude-sonnet-4-5-20250929", requestId: "msg_0001", contractVersion: 1 },
    });
    expect(usage).toMatchObject({ kind: "usage", payload: { inputTokens: 12, outputTokens: 1 } });
    expect(rest).toMatchObject([
      { kind: "usage", payload: { inputTokens: 12, outputTokens: 20 } },
      { kind: "done", payload: { finishReason: "stop", raw: "end_turn" } },
    ]);
  });
});

describe("parts", () => {
  const rows: readonly [sentence: string, events: AnthropicStreamEvent[], parts: unknown[], stop?: string][] = [
    ["B20: missing arguments become an empty object", callBlock(0, "a", [""]), [{ input: {} }], "tool_use"],
    [
      "B22: invalid arguments are preserved as text",
      callBlock(0, "a", ["{x"]),
      [{ input: "{x", invalid: true }],
      "tool_use",
    ],
    [
      "B31: a call that was cut off is marked as invalid",
      callBlock(0, "a", ['{"x":1}']),
      [{ input: { x: 1 }, invalid: true }],
      "max_tokens",
    ],
    [
      "B31: a call with incomplete JSON is marked as invalid",
      callBlock(0, "a", ['{"x":']).slice(0, -1),
      [{ input: '{"x":', invalid: true }],
      "max_tokens",
    ],
    [
      "B17: missing and repeated ids are replaced",
      [
        ...callBlock(0, "a", []),
        ...callBlock(1, "a", []),
        blockStart(2, { type: "tool_use", name: "look", input: {} }),
      ],
      [{ toolCallId: "a" }, { toolCallId: "call_msg_0001_2" }, { toolCallId: "call_msg_0001_3" }],
      "tool_use",
    ],
    [
      "B23: every digit of the arguments is preserved",
      callBlock(0, "a", ['{"id":', "9223372036854775807}"]),
      [{ inputText: '{"id":9223372036854775807}' }],
      "tool_use",
    ],
    [
      "B43: an unknown block contains the fields of its deltas",
      [
        blockStart(0, { type: "fresco", text: "No", input: {} }),
        textDeltaEvent(0, "rth"),
        inputDeltaEvent(0, '{"a":'),
        inputDeltaEvent(0, "1}"),
        signatureDeltaEvent(0, "cw=="),
        blockDelta(0, { type: "citations_delta", citation: { a: 1 } }),
        blockDelta(0, { type: "layer_delta", layer: 1 }),
        blockStop(0),
      ],
      [
        {
          type: "opaque",
          value: {
            type: "fresco",
            text: "North",
            input: { a: 1 },
            signature: "cw==",
            citations: [{ a: 1 }],
          },
          extra: { anthropic: { $events: [blockDelta(0, { type: "layer_delta", layer: 1 })] } },
        },
      ],
    ],
    [
      "the last compaction delta wins",
      [
        blockStart(0, { type: "compaction", content: null }),
        blockDelta(0, { type: "compaction_delta", content: "a" }),
        {
          ...blockDelta(0, { type: "compaction_delta", content: "b", encrypted_content: "ZQ==", depth: 2 }),
          seen: true,
        },
      ],
      [
        {
          type: "opaque",
          value: { type: "compaction", content: "b", encrypted_content: "ZQ==", depth: 2, seen: true },
        },
      ],
    ],
    [
      "a delta without a start event opens a block",
      [
        textDeltaEvent(0, "a"),
        thinkingDeltaEvent(1, "b"),
        blockDelta(2, { type: "citations_delta", citation: { type: "char_location" } }),
      ],
      [
        { type: "text", text: "a" },
        { type: "reasoning", text: "b" },
        { type: "text", text: "", annotations: [{ kind: "document" }] },
      ],
    ],
    [
      "B76: a start event with a used index closes the earlier block",
      [blockStart(0, { type: "text", text: "a" }), blockStart(0, { type: "text", text: "b" }), textDeltaEvent(0, "c")],
      [{ text: "a" }, { text: "bc" }],
    ],
    [
      "B18: interleaved calls are separated by index",
      [
        blockStart(1, { type: "tool_use", id: "a", name: "look", input: {} }),
        blockStart(2, { type: "tool_use", id: "b", name: "look", input: {} }),
        inputDeltaEvent(2, '{"b"'),
        inputDeltaEvent(1, '{"a"'),
        inputDeltaEvent(2, ":2}"),
        inputDeltaEvent(1, ":1}"),
      ],
      [{ input: { a: 1 } }, { input: { b: 2 } }],
      "tool_use",
    ],
    [
      "a text without its field is empty",
      [blockStart(0, { type: "text" }), textDeltaEvent(0, "a"), blockStart(1, { type: "text", text: null })],
      [{ text: "a" }, { text: "" }],
    ],
    [
      "a second result of a call is opaque",
      [
        blockStart(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
        blockStart(1, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
        blockStart(2, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
      ],
      [{ executor: "provider" }, { type: "tool-result", toolName: "web_search" }, { type: "opaque" }],
    ],
    [
      "a malformed block is opaque",
      [
        blockStart(0, { type: "tool_result", tool_use_id: "a", content: [5] }),
        blockStart(1, { type: "text", text: 5 }),
      ],
      [{ type: "opaque" }, { type: "opaque", value: { type: "text", text: 5 } }],
    ],
    [
      "a cache breakpoint is decoded as in a whole response",
      [blockStart(0, { type: "text", text: "a", cache_control: { type: "ephemeral" } }), textDeltaEvent(0, "b")],
      [{ type: "text", text: "ab", cache: {} }],
    ],
  ];
  test.each(rows)("%s", (_sentence, events, parts, stop = "end_turn") => {
    const deltas = decode(stream(events, messageDelta(stop)));
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(assembleAnswer(deltas)?.message.parts).toMatchObject(parts);
    expect(assembleAnswer(deltas)?.message.parts).toHaveLength(parts.length);
  });

  test("B16, B30, B32: ids, names and free text are restored", () => {
    const names = {
      toolCallIds: { wire_1: "call 1" },
      toolNames: { look: "look around", paint: "paint!" },
      textTools: ["paint!"],
    };
    const events = stream([
      ...callBlock(0, "wire_1", ['{"x":1}']),
      ...callBlock(1, "b", ['{"va', 'lue":"*** Begin"}'], { name: "paint" }),
      ...callBlock(2, "c", ['{"value":1}'], { name: "paint" }),
      ...callBlock(3, "d", ["{no"], { name: "paint" }),
    ]);
    expect(assembleAnswer(decode(events, { names }))?.message.parts).toMatchObject([
      { toolCallId: "call 1", toolName: "look around", input: { x: 1 } },
      { toolCallId: "b", toolName: "paint!", input: "*** Begin", format: "text" },
      { toolCallId: "c", input: { value: 1 } },
      { toolCallId: "d", input: "{no", invalid: true },
    ]);
    const cut = stream(callBlock(0, "b", ['{"value":"*** B'], { name: "paint" }), messageDelta("max_tokens"));
    for (const each of [cut, cut.slice(0, -2)]) {
      expect(assembleAnswer(decode(each, { names }))?.message.parts).toMatchObject([
        { toolCallId: "b", input: '{"value":"*** B', invalid: true },
      ] satisfies Partial<Part>[]);
    }
  });
});

describe("fields of the answer", () => {
  test("B65: token counts are cumulative, and null does not overwrite", () => {
    const start = messageStart({
      usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: null },
    });
    const end = messageDelta("end_turn", {
      usage: { input_tokens: null, output_tokens: 7, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 },
    });
    const usage = assembleAnswer(decode(stream([], end, start)))?.usage;
    expect(usage).toMatchObject({ inputTokens: 16, outputTokens: 7, cacheReadTokens: 5, cacheWriteTokens: 2 });
    expect(usage?.extra).toBeUndefined();
  });

  test("B43: unknown fields and events are stored on the answer", () => {
    const weather = { type: "weather", sky: "clear" };
    const lost = inputDeltaEvent(7, "{}");
    const events = [
      messageStart({ mood: "calm" }),
      weather,
      lost,
      messageDelta("moonrise", { tides: [1] }),
      { ...STOP, "amazon-bedrock-invocationMetrics": {} },
    ];
    expect(assembleAnswer(decode(events))).toMatchObject({
      finishReason: { unified: "other", raw: "moonrise" },
      extra: {
        anthropic: {
          mood: "calm",
          tides: [1],
          "amazon-bedrock-invocationMetrics": {},
          $events: [weather, lost],
        },
      },
    });
  });

  test("B43: unknown fields of a start event are stored on the part, an unusual stop event on the answer", () => {
    const closed = { ...blockStop(0), note: "x" };
    const answer = assembleAnswer(
      decode(stream([{ ...blockStart(0, { type: "text", text: "a" }), tone: "warm" }, closed])),
    );
    expect(answer?.message.parts).toStrictEqual([{ type: "text", text: "a", extra: { anthropic: { tone: "warm" } } }]);
    expect(answer?.extra).toStrictEqual({ anthropic: { $events: [closed] } });
  });

  test("misplaced fields of message_delta are stored as events", () => {
    const odd = [
      messageDelta("end_turn", { delta: { stop_reason: "end_turn", model: "other" } }),
      messageDelta("end_turn", { delta: 5 }),
      messageDelta("end_turn", { id: "other" }),
      blockDelta(0, 5 as unknown as object),
      blockStart(0, 5 as unknown as object),
    ];
    expect(assembleAnswer(decode([messageStart(), ...odd, STOP]))).toMatchObject({
      id: "msg_0001",
      model: "claude-sonnet-4-5-20250929",
      extra: { anthropic: { $events: odd } },
    });
    for (const message of [5, { content: [5] }, { content: "x" }]) {
      const start = { type: "message_start", message };
      expect(assembleAnswer(decode([start, STOP]))?.extra?.["anthropic"]).toMatchObject({ $events: [start] });
    }
  });
});
