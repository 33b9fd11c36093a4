// Legal deltas assemble to parts, including Koine's additions to the delta contract.
import { describe, expect, test } from "vitest";
import { assemble } from "../../src/assembly/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { Part } from "../../src/model/parts.ts";
import { answer, call, delta, stampAll } from "../support/deltas.ts";

const text = (textDelta: string, part?: string | number): Delta =>
  delta("text", part === undefined ? { textDelta } : { textDelta, partKey: part });
const thinking = (textDelta: string): Delta => delta("thinking", { textDelta });
const seal = (value: string, part?: number): Delta =>
  delta("seal", {
    seal: { dialect: "anthropic", kind: "signature", value },
    ...(part !== undefined && { partKey: part }),
  });

const JOINED: [sentence: string, deltas: Delta[], parts: Part[]][] = [
  ["no delta is an empty message", [], []],
  ["adjacent texts join into one part", [text("a"), text("b")], [{ type: "text", text: "ab" }]],
  ["adjacent thinking joins into one part", [thinking("a"), thinking("b")], [{ type: "reasoning", text: "ab" }]],
  [
    "B2: interleaved order is preserved",
    [thinking("t1"), text("a"), ...call("c1", "{}"), thinking("t2"), ...call("c2", "{}")],
    [
      { type: "reasoning", text: "t1" },
      { type: "text", text: "a" },
      { type: "tool-call", toolCallId: "c1", toolName: "tool", input: {} },
      { type: "reasoning", text: "t2" },
      { type: "tool-call", toolCallId: "c2", toolName: "tool", input: {} },
    ],
  ],
  [
    "parts with their own part keys are separate",
    [text("a", 0), text("b", 1), text("c", 0)],
    [
      { type: "text", text: "ac" },
      { type: "text", text: "b" },
    ],
  ],
  [
    "deltas of an older ledger name the part key `part`",
    [
      { kind: "text", payload: { textDelta: "a", part: 0 } } as unknown as Delta,
      { kind: "text", payload: { textDelta: "b", part: 1 } } as unknown as Delta,
      text("c", 0),
    ],
    [
      { type: "text", text: "ac" },
      { type: "text", text: "b" },
    ],
  ],
  ["an empty text with a new part key opens an empty part", [text("", "x")], [{ type: "text", text: "" }]],
  [
    "B18: the arguments of parallel calls join by id, in any interleaving",
    [
      delta("tool_call_start", { toolCallId: "a", toolName: "x" }),
      delta("tool_call_start", { toolCallId: "b", toolName: "y" }),
      delta("tool_call_args", { toolCallId: "b", argsTextDelta: '{"n":' }),
      delta("tool_call_args", { toolCallId: "a", argsTextDelta: "[1" }),
      delta("tool_call_args", { toolCallId: "b", argsTextDelta: "2}" }),
      delta("tool_call_end", { toolCallId: "b" }),
      delta("tool_call_end", { toolCallId: "a", argsTextDelta: "]" }),
    ],
    [
      { type: "tool-call", toolCallId: "a", toolName: "x", input: [1] },
      { type: "tool-call", toolCallId: "b", toolName: "y", input: { n: 2 } },
    ],
  ],
  [
    "B20: blank arguments are {}, and their spelling is preserved",
    call("a", " "),
    [{ type: "tool-call", toolCallId: "a", toolName: "tool", input: {}, inputText: " " }],
  ],
  [
    "B20: a call without arguments is {}",
    [
      delta("tool_call_start", { toolCallId: "a", toolName: "t", objectArgs: true }),
      delta("tool_call_end", { toolCallId: "a" }),
    ],
    [{ type: "tool-call", toolCallId: "a", toolName: "t", input: {} }],
  ],
  [
    "B23: arguments keep their spelling if re-encoding would change it",
    call("a", '{"n": 1.0}'),
    [{ type: "tool-call", toolCallId: "a", toolName: "tool", input: { n: 1 }, inputText: '{"n": 1.0}' }],
  ],
  [
    "B32: free-form arguments are text, even if they look like JSON",
    [
      delta("tool_call_start", { toolCallId: "a", toolName: "t", format: "text", executor: "client", tool: "custom" }),
      delta("tool_call_args", { toolCallId: "a", argsTextDelta: "{}" }),
      delta("tool_call_end", { toolCallId: "a" }),
    ],
    [
      {
        type: "tool-call",
        toolCallId: "a",
        toolName: "t",
        input: "{}",
        format: "text",
        executor: "client",
        tool: "custom",
      },
    ],
  ],
  [
    "B31: a call whose end marks it as cut off is flagged, regardless of its arguments",
    [
      delta("tool_call_start", { toolCallId: "a", toolName: "t" }),
      delta("tool_call_args", { toolCallId: "a", argsTextDelta: '{"n":1}' }),
      delta("tool_call_end", { toolCallId: "a", invalid: true }),
    ],
    [{ type: "tool-call", toolCallId: "a", toolName: "t", input: { n: 1 }, invalid: true }],
  ],
  [
    "object arguments keep their text only if parsing would change a number",
    [
      delta("tool_call_start", { toolCallId: "a", toolName: "t", objectArgs: true }),
      delta("tool_call_args", { toolCallId: "a", argsTextDelta: '{ "n": 1.0 }' }),
      delta("tool_call_end", { toolCallId: "a" }),
      delta("tool_call_start", { toolCallId: "b", toolName: "t", objectArgs: true }),
      delta("tool_call_args", { toolCallId: "b", argsTextDelta: '{ "n": 12345678901234567890 }' }),
      delta("tool_call_end", { toolCallId: "b" }),
    ],
    [
      { type: "tool-call", toolCallId: "a", toolName: "t", input: { n: 1 } },
      {
        type: "tool-call",
        toolCallId: "b",
        toolName: "t",
        input: { n: 12345678901234567000 },
        inputText: '{ "n": 12345678901234567890 }',
      },
    ],
  ],
  [
    "B49: a refusal stays a refusal",
    [delta("refusal", { textDelta: "No" }), delta("refusal", { textDelta: "." })],
    [{ type: "refusal", text: "No." }],
  ],
  [
    "B4: each seal stays with its own part; a later one of the same kind replaces the earlier",
    [
      delta("thinking", { textDelta: "a", partKey: 0 }),
      delta("thinking", { textDelta: "b", partKey: 1 }),
      seal("s0", 0),
      seal("early", 1),
      seal("s1", 1),
    ],
    [
      { type: "reasoning", text: "a", seals: [{ dialect: "anthropic", kind: "signature", value: "s0" }] },
      { type: "reasoning", text: "b", seals: [{ dialect: "anthropic", kind: "signature", value: "s1" }] },
    ],
  ],
  [
    "seals of different issuers are all stored",
    [text("a"), seal("s"), delta("seal", { seal: { dialect: "gemini", kind: "signature", value: "g" } })],
    [
      {
        type: "text",
        text: "a",
        seals: [
          { dialect: "anthropic", kind: "signature", value: "s" },
          { dialect: "gemini", kind: "signature", value: "g" },
        ],
      },
    ],
  ],
  [
    "B48: annotations are listed in order",
    [
      text("a"),
      delta("annotation", { annotation: { kind: "url", url: "u" } }),
      delta("annotation", { annotation: { kind: "file", fileId: "f" } }),
    ],
    [
      {
        type: "text",
        text: "a",
        annotations: [
          { kind: "url", url: "u" },
          { kind: "file", fileId: "f" },
        ],
      },
    ],
  ],
  [
    "B60: log probabilities are collected",
    [
      delta("text", { textDelta: "a", logprobs: [{ token: "a", logprob: -1 }] }),
      delta("text", { textDelta: "b", logprobs: [{ token: "b", logprob: -2 }] }),
    ],
    [
      {
        type: "text",
        text: "ab",
        logprobs: [
          { token: "a", logprob: -1 },
          { token: "b", logprob: -2 },
        ],
      },
    ],
  ],
  [
    "a thinking delta names its summary",
    [
      thinking("raw"),
      delta("thinking", { textDelta: "s", summary: 0 }),
      delta("thinking", { textDelta: "t", summary: 1 }),
      delta("thinking", { textDelta: "!", summary: 0 }),
    ],
    [{ type: "reasoning", text: "raw", summary: ["s!", "t"] }],
  ],
  [
    "media grows by chunks, and its MIME type determines its part type",
    [delta("media", { mimeType: "image/png", dataDelta: "aGVs" }), delta("media", { dataDelta: "bG8=" })],
    [{ type: "image", mimeType: "image/png", data: "aGVsbG8=" }],
  ],
  [
    "a transcript makes it audio",
    [delta("media", { dataDelta: "AA", transcriptDelta: "Hel" }), delta("media", { transcriptDelta: "lo" })],
    [{ type: "audio", data: "AA", transcript: "Hello" }],
  ],
  [
    "B43: a complete part is used unchanged",
    [delta("part", { value: { type: "opaque", dialect: "x", value: { odd: [1] } } })],
    [{ type: "opaque", dialect: "x", value: { odd: [1] } }],
  ],
  [
    "B33: a provider's result may answer a call from before the run",
    [
      delta("part", {
        value: {
          type: "tool-result",
          toolCallId: "old",
          toolName: "",
          isError: false,
          output: 1,
          executor: "provider",
        },
      }),
    ],
    [{ type: "tool-result", toolCallId: "old", toolName: "", isError: false, output: 1, executor: "provider" }],
  ],
  [
    "residue on a part is merged key by key, and later values win",
    [
      delta("text", { textDelta: "a", extra: { d: { x: 1, y: 1 } } }),
      delta("text", { textDelta: "b", extra: { d: { y: 2 }, e: { z: 3 } } }),
    ],
    [{ type: "text", text: "ab", extra: { d: { x: 1, y: 2 }, e: { z: 3 } } }],
  ],
];

describe("deltas join into parts", () => {
  test.each(JOINED)("%s", (_, deltas, parts) => {
    expect(assemble(answer(...deltas)).message).toStrictEqual({ role: "assistant", parts });
    expect(assemble(stampAll(answer(...deltas))).message.parts).toStrictEqual(parts);
  });
});
