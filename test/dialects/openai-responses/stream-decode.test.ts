// Tests decoding of Responses streams: the deltas of each event.
import { describe, expect, test } from "vitest";
import { assemble, checkDeltas } from "../../../src/index.ts";
import type { Delta, ModelResponse as Answer } from "../../../src/index.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import { assembleAnswers, decodeEvents } from "../../../src/testkit/checks/stream-helpers.ts";
import type { WireEventBody } from "./stream-events.ts";
import {
  added,
  argumentEvents,
  responseBody,
  done,
  functionCall,
  message,
  outputText,
  messageEvents,
  stream,
  textEvents,
} from "./stream-events.ts";

const dialect = openaiResponses();
const seal = (value: string, kind = "id"): object => ({ dialect: "openai-responses", kind, value });

/** Returns the deltas between the start and the end of the answer. */
function decodeContent(events: readonly unknown[], names = {}): Delta[] {
  const decoder = dialect.streamDecoder({ names });
  const deltas = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
  expect(checkDeltas(deltas)).toStrictEqual([]);
  return deltas.filter(({ kind }) => kind !== "start" && kind !== "usage" && kind !== "done");
}

function decodeAnswer(events: readonly unknown[]): Answer {
  return assemble(decodeEvents(dialect, events));
}

const vega = message("msg_1", [outputText("Vega.")]);
const look = functionCall("fc_1", "call_1", "look_up");
const lookDone = { ...look, arguments: '{"star":"Vega"}' };
const lookEvents = argumentEvents(0, look, "arguments", "function_call_arguments", ['{"star":', '"Vega"}']);
const started = { kind: "tool_call_start", payload: { toolCallId: "call_1", toolName: "look_up", partKey: "0.call" } };
const args = (argsTextDelta: string): object => ({
  kind: "tool_call_args",
  payload: { toolCallId: "call_1", argsTextDelta },
});
const text = (textDelta: string, partKey = "0.0"): object => ({ kind: "text", payload: { textDelta, partKey } });
const sealed = (value: string, partKey: string, kind = "id"): object => ({
  kind: "seal",
  payload: { seal: seal(value, kind), partKey },
});

const DECODE_ROWS: readonly [string, WireEventBody[], object[]][] = [
  [
    "B77: a text is emitted in deltas, and the finished text adds nothing",
    stream([messageEvents(0, "msg_1", "Ve", "ga.")], [vega]),
    [text(""), sealed("msg_1", "0.0"), text("Ve"), text("ga.")],
  ],
  [
    "B77: missing deltas are emitted once, from the finished text",
    stream([messageEvents(0, "msg_1", "Ve", "ga.").filter((event) => event["delta"] !== "ga.")], [vega]),
    [text(""), sealed("msg_1", "0.0"), text("Ve"), text("ga.")],
  ],
  [
    "B77: content that only the last event has is emitted there",
    stream([], [vega, lookDone]),
    [
      text(""),
      sealed("msg_1", "0.0"),
      text("Vega."),
      { ...started, payload: { ...started.payload, partKey: "1.call" } },
    ],
  ],
  [
    "B31: a call ends when the next part starts",
    stream([lookEvents, messageEvents(1, "msg_1", "Vega.")], [lookDone, vega]),
    [
      started,
      sealed("fc_1", "0.call"),
      args('{"star":'),
      args('"Vega"}'),
      { kind: "tool_call_end", payload: { toolCallId: "call_1" } },
      text("", "1.0"),
      sealed("msg_1", "1.0"),
      text("Vega.", "1.0"),
    ],
  ],
  [
    "B31: the last call of an answer that was cut off is invalid",
    stream([lookEvents], [lookDone], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
    [
      started,
      sealed("fc_1", "0.call"),
      args('{"star":'),
      args('"Vega"}'),
      {
        kind: "tool_call_end",
        payload: { toolCallId: "call_1", invalid: true, extra: { "openai-responses": { $form: { cut: "ending" } } } },
      },
    ],
  ],
  [
    "reasoning comes in summaries, and a later seal replaces an earlier one",
    stream(
      [
        [
          added(0, { id: "rs_1", type: "reasoning", summary: [] }),
          { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm" },
          done(0, {
            id: "rs_1",
            type: "reasoning",
            summary: [{ type: "summary_text", text: "Hm." }],
            encrypted_content: "a",
          }),
        ],
      ],
      [{ id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "b" }],
    ),
    [
      { kind: "thinking", payload: { textDelta: "", partKey: "0.thinking" } },
      sealed("rs_1", "0.thinking"),
      { kind: "thinking", payload: { textDelta: "Hm", summary: 0, partKey: "0.thinking" } },
      { kind: "thinking", payload: { textDelta: ".", summary: 0, partKey: "0.thinking" } },
      sealed("a", "0.thinking", "encrypted"),
      sealed("b", "0.thinking", "encrypted"),
    ],
  ],
  [
    "code becomes a JSON argument, and surrogate pairs stay together",
    stream(
      [
        [
          added(0, { id: "ci_1", type: "code_interpreter_call", status: "in_progress", code: "", container_id: "c" }),
          { type: "response.code_interpreter_call_code.delta", output_index: 0, delta: '"\ud83c' },
          { type: "response.code_interpreter_call_code.delta", output_index: 0, delta: '\udf1f"' },
        ],
      ],
      [
        {
          id: "ci_1",
          type: "code_interpreter_call",
          status: "completed",
          code: '"🌟"',
          container_id: "c",
          outputs: null,
        },
      ],
    ).slice(0, -1),
    [
      {
        kind: "tool_call_start",
        payload: {
          toolCallId: "ci_1",
          toolName: "code_interpreter",
          executor: "provider",
          tool: "code_interpreter_call",
          objectArgs: true,
          partKey: "0.call",
        },
      },
      { kind: "tool_call_args", payload: { toolCallId: "ci_1", argsTextDelta: '{"code":"\\"' } },
      { kind: "tool_call_args", payload: { toolCallId: "ci_1", argsTextDelta: '🌟\\"' } },
      expect.objectContaining({ kind: "error" }),
    ],
  ],
  [
    "audio is emitted beside the items",
    stream(
      [
        [
          { type: "response.audio.delta", delta: "AAAA" },
          { type: "response.audio.transcript.delta", delta: "Vega" },
        ],
      ],
      [],
    ),
    [
      { kind: "media", payload: { type: "audio", dataDelta: "AAAA", partKey: "audio" } },
      { kind: "media", payload: { type: "audio", transcriptDelta: "Vega", partKey: "audio" } },
    ],
  ],
  [
    "B43: an unknown field of a summary delta becomes residue of its part",
    stream([[{ type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Hm", mood: 1 }]], []),
    [
      { kind: "thinking", payload: { textDelta: "", partKey: "0.thinking" } },
      {
        kind: "thinking",
        payload: { textDelta: "Hm", summary: 0, partKey: "0.thinking", extra: { "openai-responses": { mood: 1 } } },
      },
    ],
  ],
  [
    "B43: an unknown field of a text delta becomes residue of its part",
    stream([[{ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hi", mood: 1 }]], []),
    [
      text(""),
      { kind: "text", payload: { textDelta: "Hi", partKey: "0.0", extra: { "openai-responses": { mood: 1 } } } },
    ],
  ],
];

describe("events to deltas", () => {
  test.each(DECODE_ROWS)("%s", (_, events, deltas) => {
    const decoded = decodeContent(events);
    expect(decoded.slice(0, deltas.length)).toStrictEqual(deltas);
  });

  test("B72: an error event ends the answer after its content", () => {
    const error = {
      type: "error",
      error: { type: "server_error", code: "server_error", message: "Gone.", param: null },
    };
    const deltas = decodeEvents(dialect, [...stream([messageEvents(0, "msg_1", "Ve")], []).slice(0, 6), error]);
    expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "server", message: "Gone." } });
    expect(assembleAnswers(deltas)[0]?.message.parts).toMatchObject([{ type: "text", text: "Ve" }]);
  });

  test("B73: a stream without an end, or without events, is truncated", () => {
    const deltas = decodeEvents(dialect, stream([messageEvents(0, "msg_1", "Ve")], []).slice(0, 5));
    expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "truncated" } });
    expect(decodeEvents(dialect, []).map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  });

  test("B16, B30: renamed ids and tools are restored", () => {
    const names = { toolCallIds: { call_1: "1:a" }, toolNames: { look_up: "look up" } };
    const [start] = decodeContent(stream([lookEvents], [lookDone]), names);
    expect(start).toMatchObject({ payload: { toolCallId: "1:a", toolName: "look up" } });
  });

  test("B17: an id that an earlier answer used is replaced", () => {
    const decodedAgain = stream([lookEvents], [lookDone], { id: "resp_2" });
    const ids = decodeContent([...stream([lookEvents], [lookDone]), ...decodedAgain]).flatMap(({ kind, payload }) =>
      kind === "tool_call_start" ? [payload.toolCallId] : [],
    );
    expect(ids[0]).toBe("call_1");
    expect(new Set(ids).size).toBe(2);
  });

  test("B18: items that share one output index are separated", () => {
    const events = [
      lookEvents,
      argumentEvents(0, functionCall("fc_2", "call_2", "rise"), "arguments", "function_call_arguments", ["{}"]),
    ];
    const { parts } = decodeAnswer(stream(events, [])).message;
    expect(parts).toMatchObject([
      { toolCallId: "call_1", input: { star: "Vega" } },
      { toolCallId: "call_2", input: {} },
    ]);
  });

  test("B20: a call without arguments has the input {}", () => {
    const { parts } = decodeAnswer(
      stream([argumentEvents(0, look, "arguments", "function_call_arguments", [])], [look]),
    ).message;
    expect(parts).toMatchObject([{ toolCallId: "call_1", input: {} }]);
  });

  test("emitted text stays if the finished text contradicts it, which becomes residue", () => {
    const { parts } = decodeAnswer(
      stream([messageEvents(0, "msg_1", "Vega.")], [message("msg_1", [outputText("Deneb.")])]),
    ).message;
    expect(parts).toMatchObject([{ text: "Vega.", extra: { "openai-responses": { $form: { said: "Deneb." } } } }]);
  });

  test("log probabilities without bytes wait for those of the finished text", () => {
    const whole = [{ token: "Vega.", logprob: -1, bytes: [86], top_logprobs: [] }];
    const block = outputText("Vega.", { logprobs: whole });
    const events = textEvents(0, "msg_1", 0, ["Vega."], block).map((event) =>
      "delta" in event ? { ...event, logprobs: [{ token: "Vega.", logprob: -1, top_logprobs: [] }] } : event,
    );
    const { parts } = decodeAnswer(
      stream([events, [done(0, message("msg_1", [block]))]], [message("msg_1", [block])]),
    ).message;
    expect(parts).toMatchObject([{ logprobs: [{ token: "Vega.", logprob: -1, bytes: [86], top: [] }] }]);
  });

  test("B48: citations count code points, even if a surrogate pair comes in two deltas", () => {
    const textDeltas = ["a\ud83c", "\udf1fb", " c🌟d"];
    const cite = (annotation_index: number, start_index: number, end_index: number): WireEventBody => ({
      type: "response.output_text.annotation.added",
      output_index: 0,
      content_index: 0,
      annotation_index,
      annotation: { type: "url_citation", url: "https://stars.example", title: "Stars", start_index, end_index },
    });
    const [open, first, second, third] = textEvents(0, "msg_1", 0, textDeltas) as [
      WireEventBody,
      WireEventBody,
      WireEventBody,
      WireEventBody,
    ];
    const deltas = decodeContent([
      ...stream([[open, first, cite(0, 0, 1), second, cite(1, 1, 3), third, cite(2, 4, 7)]], []),
    ]);
    const spans = deltas.flatMap(({ kind, payload }) => (kind === "annotation" ? [payload.annotation.span] : []));
    expect(spans).toStrictEqual([
      { start: 0, end: 1 },
      { start: 1, end: 4 },
      { start: 5, end: 9 },
    ]);
  });

  test("B67: usage is emitted as soon as it arrives", () => {
    const cost = { input_tokens: 3, output_tokens: 0, total_tokens: 3 };
    const deltas = decodeEvents(dialect, [{ type: "response.created", response: responseBody({ usage: cost }) }]);
    expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "usage", "error"]);
  });

  test("events after the end of an answer are ignored", () => {
    const events = stream([messageEvents(0, "msg_1", "Vega.")], [vega]);
    const deltas = decodeEvents(dialect, [...events, ...events.slice(3), { type: "keepalive" }, "[DONE]"]);
    expect(deltas).toStrictEqual(decodeEvents(dialect, events));
  });
});
