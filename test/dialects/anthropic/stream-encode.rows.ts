// Rows of deltas and the Anthropic block events that encode them, with helpers that build deltas and events.
import type { Delta, DeltaKind, DeltaPayloads } from "../../../src/model/delta.ts";
import { encode } from "./stream-helpers.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  inputDeltaEvent,
  signatureDeltaEvent,
  textDeltaEvent,
  thinkingDeltaEvent,
} from "./stream-samples.ts";

export function delta<Kind extends DeltaKind>(kind: Kind, payload: DeltaPayloads[Kind]): Delta {
  return { kind, payload } as Delta;
}
export const START = delta("start", { modelId: "m", requestId: "r", contractVersion: 1 });
export const DONE = delta("done", { finishReason: "stop" });
export const textDelta = (textDelta: string, fields: object = {}): Delta => delta("text", { textDelta, ...fields });
export const thinkingDelta = (textDelta: string, fields: object = {}): Delta =>
  delta("thinking", { textDelta, ...fields });
export const callStart = (toolCallId: string, fields: object = {}): Delta =>
  delta("tool_call_start", { toolCallId, toolName: "look", ...fields });
export const callArguments = (toolCallId: string, argsTextDelta: string): Delta =>
  delta("tool_call_args", { toolCallId, argsTextDelta });
export const callEnd = (toolCallId: string): Delta => delta("tool_call_end", { toolCallId });
const sealDelta = (value: string): Delta => delta("seal", { seal: { dialect: "anthropic", kind: "signature", value } });

export const encodeData = (deltas: readonly Delta[]): object[] =>
  encode(deltas).events.map((event) => Object(event.data) as object);
/** Encodes deltas between start and end, and returns the events of the blocks. */
export const encodeBlocks = (...between: Delta[]): object[] =>
  encodeData([START, ...between, DONE]).filter(
    (event) => "type" in event && String(event.type).startsWith("content_block"),
  );
export const formatLosses = (deltas: readonly Delta[]): string[] =>
  encode(deltas).losses.map(({ code, path }) => `${code} ${path}`);

export const EMPTY_TEXT = { type: "text", text: "" };
const EMPTY_THINKING = { type: "thinking", thinking: "", signature: "" };
export const blockEvents = (index: number, start: object, ...deltas: object[]): object[] => [
  blockStart(index, start),
  ...deltas,
  blockStop(index),
];
export const toolUse = (id: string): object => ({ type: "tool_use", id, name: "look", input: {} });

export const encodedRows: readonly [sentence: string, deltas: Delta[], events: object[]][] = [
  [
    "B2: parts keep their order, with consecutive indexes",
    [textDelta("a", { partKey: 0 }), thinkingDelta("b", { partKey: 1 }), textDelta("c", { partKey: 2 })],
    [
      ...blockEvents(0, EMPTY_TEXT, textDeltaEvent(0, "a")),
      ...blockEvents(1, EMPTY_THINKING, thinkingDeltaEvent(1, "b")),
      ...blockEvents(2, EMPTY_TEXT, textDeltaEvent(2, "c")),
    ],
  ],
  [
    "B1: the signature is the last delta",
    [thinkingDelta("a"), sealDelta("c2ln"), thinkingDelta("b")],
    [
      blockStart(0, EMPTY_THINKING),
      thinkingDeltaEvent(0, "a"),
      thinkingDeltaEvent(0, "b"),
      signatureDeltaEvent(0, "c2ln"),
      blockStop(0),
    ],
  ],
  [
    "B3: signed thinking without text",
    [thinkingDelta(""), sealDelta("c2ln")],
    [blockStart(0, EMPTY_THINKING), signatureDeltaEvent(0, "c2ln"), blockStop(0)],
  ],
  [
    "redacted thinking is a separate block",
    [thinkingDelta(""), delta("seal", { seal: { dialect: "anthropic", kind: "redacted", value: "cg==" } })],
    [blockStart(0, { type: "redacted_thinking", data: "cg==" }), blockStop(0)],
  ],
  ["B5: reasoning sealed by another provider has no block", [thinkingDelta("")], []],
  [
    "summaries are written if there is no text",
    [thinkingDelta("One", { summary: 0 }), thinkingDelta(".", { summary: 0 }), thinkingDelta("Two", { summary: 1 })],
    [
      blockStart(0, EMPTY_THINKING),
      thinkingDeltaEvent(0, "One"),
      thinkingDeltaEvent(0, "."),
      thinkingDeltaEvent(0, "\n\nTwo"),
      blockStop(0),
    ],
  ],
  [
    "B1: a signature belongs to the signed text, not to a summary",
    [thinkingDelta("One", { summary: 0 }), sealDelta("sig")],
    [
      ...blockEvents(0, EMPTY_THINKING, thinkingDeltaEvent(0, "One")),
      ...blockEvents(1, EMPTY_THINKING, signatureDeltaEvent(1, "sig")),
    ],
  ],
  [
    "arguments are written as they arrive",
    [callStart("a"), callArguments("a", '{"x"'), callArguments("a", ": 1}"), callEnd("a")],
    [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"x"'), inputDeltaEvent(0, ": 1}"), blockStop(0)],
  ],
  [
    "B20: a call without arguments has no delta",
    [callStart("a"), callArguments("a", ""), callEnd("a")],
    [blockStart(0, toolUse("a")), blockStop(0)],
  ],
  [
    "B22: arguments that are not an object are wrapped in one",
    [callStart("a"), callArguments("a", " [1,"), callArguments("a", "2]"), callEnd("a")],
    [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"value":[1,2]}'), blockStop(0)],
  ],
  [
    "B22: arguments that are not JSON are wrapped in an object",
    [callStart("a"), callArguments("a", "x y"), callEnd("a")],
    [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"value":"x y"}'), blockStop(0)],
  ],
  [
    "B32: free text is wrapped in an object as it arrives",
    [
      callStart("a", { format: "text" }),
      callArguments("a", 'say "'),
      callArguments("a", 'hey"\n\uD83C'),
      callArguments("a", "\uDFDB"),
      callEnd("a"),
    ],
    [
      blockStart(0, toolUse("a")),
      inputDeltaEvent(0, '{"value":"say \\"'),
      inputDeltaEvent(0, 'hey\\"\\n'),
      inputDeltaEvent(0, "🏛"),
      inputDeltaEvent(0, '"}'),
      blockStop(0),
    ],
  ],
  [
    "B32: free text that waited and starts with a lone surrogate",
    [
      callStart("a"),
      callStart("b", { format: "text" }),
      callArguments("b", "\uD83C"),
      callArguments("b", "\uDFDB!"),
      callEnd("b"),
      callArguments("a", "{}"),
      callEnd("a"),
    ],
    [
      ...blockEvents(0, toolUse("a"), inputDeltaEvent(0, "{}")),
      ...blockEvents(1, toolUse("b"), inputDeltaEvent(1, '{"value":"🏛!'), inputDeltaEvent(1, '"}')),
    ],
  ],
  [
    "B32: empty free text is wrapped",
    [callStart("a", { format: "text" }), callEnd("a")],
    [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"value":""}'), blockStop(0)],
  ],
  [
    "B18: interleaved calls are written one after the other",
    [
      callStart("a"),
      callStart("b"),
      callArguments("b", "{}"),
      callArguments("a", '{"x"'),
      callEnd("b"),
      callArguments("a", ":1}"),
      callEnd("a"),
    ],
    [
      ...blockEvents(0, toolUse("a"), inputDeltaEvent(0, '{"x"'), inputDeltaEvent(0, ":1}")),
      ...blockEvents(1, toolUse("b"), inputDeltaEvent(1, "{}")),
    ],
  ],
  [
    "B50: a surrogate pair that is split between two deltas is written whole",
    [textDelta("a\uD83C"), textDelta("\uDFDB"), thinkingDelta("\uD83C"), thinkingDelta("\uDFDB")],
    [
      ...blockEvents(0, EMPTY_TEXT, textDeltaEvent(0, "a"), textDeltaEvent(0, "🏛")),
      ...blockEvents(1, EMPTY_THINKING, thinkingDeltaEvent(1, "🏛")),
    ],
  ],
  [
    "B49: a refusal is written as text",
    [delta("refusal", { textDelta: "No." })],
    [blockStart(0, EMPTY_TEXT), textDeltaEvent(0, "No."), blockStop(0)],
  ],
  [
    "B33: a call that another provider ran is dropped",
    [
      callStart("a", { executor: "provider", tool: "web_search_call" }),
      callArguments("a", "{}"),
      callEnd("a"),
      textDelta("x"),
    ],
    [blockStart(0, EMPTY_TEXT), textDeltaEvent(0, "x"), blockStop(0)],
  ],
  [
    "B59: only the first choice is written",
    [textDelta("a", { choice: 1 }), textDelta("b")],
    [blockStart(0, EMPTY_TEXT), textDeltaEvent(0, "b"), blockStop(0)],
  ],
  [
    "whole parts are split as the API does",
    [
      delta("part", { value: { type: "text", text: "a", cache: {} } }),
      delta("part", {
        value: { type: "tool-call", toolCallId: "a", toolName: "look", input: { x: 1 }, invalid: true },
      }),
      delta("part", {
        value: {
          type: "opaque",
          dialect: "anthropic",
          value: { type: "fresco" },
          extra: { anthropic: { $events: [{ ...blockDelta(7, { type: "d" }), fields: 1 }] } },
        },
      }),
    ],
    [
      ...blockEvents(0, { ...EMPTY_TEXT, cache_control: { type: "ephemeral" } }, textDeltaEvent(0, "a")),
      ...blockEvents(1, toolUse("a"), inputDeltaEvent(1, '{"x":1}')),
      ...blockEvents(2, { type: "fresco" }, { ...blockDelta(2, { type: "d" }), fields: 1 }),
    ],
  ],
  [
    "residue is written in the start event, or with the delta that brought it",
    [
      textDelta("a", { extra: { anthropic: { tone: "warm" } } }),
      textDelta("b", { extra: { anthropic: { weight: 3 } } }),
    ],
    [
      blockStart(0, { ...EMPTY_TEXT, tone: "warm" }),
      textDeltaEvent(0, "a"),
      textDeltaEvent(0, "b"),
      blockDelta(0, { type: "text_delta", text: "", weight: 3 }),
      blockStop(0),
    ],
  ],
];
