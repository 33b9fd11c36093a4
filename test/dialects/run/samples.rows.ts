// Sample conversations in the run shape: plain ones, and ones with every other form.
import { parseJson } from "../../../src/model/json/index.ts";
import type { MessageSample } from "../../../src/testkit/index.ts";

const stamp = { runId: "run-77", timestamp: "2026-03-01T10:00:00.000Z" };
const text = (content: string): object => ({ kind: "text", payload: { text: content } });
const call = (toolCallId: string, payload: object): object => ({
  kind: "tool_call",
  payload: { toolCallId, toolName: "look_up", ...payload },
});
const result = (toolCallId: string, payload: object): object => ({
  kind: "tool_result",
  payload: { toolCallId, isError: false, ...payload },
});

const PLAIN = [
  { ...stamp, role: "system", parts: [text("You answer briefly."), { kind: "thinking", payload: { text: "Rules." } }] },
  {
    ...stamp,
    role: "user",
    parts: [
      text("What is in these?"),
      { kind: "image", payload: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
      { kind: "image", payload: { mimeType: "image/jpeg", url: "https://example.com/harbour.jpg" } },
      { kind: "file_ref", payload: { path: "docs/harbour.md", mimeType: "text/markdown", size: 2048 } },
    ],
  },
  {
    ...stamp,
    role: "assistant",
    parts: [
      { kind: "thinking", payload: { text: "I should look." } },
      text("Let me see."),
      call("call_1", { arguments: { city: "Corinth" }, rawArgsText: '{ "city": "Corinth" }' }),
      call("call_2", { arguments: { city: "Piraeus", depth: 3 } }),
      call("call_3", { arguments: {}, rawArgsText: '{"city": "Pat' }),
    ],
    meta: {
      usage: { inputTokens: 12, outputTokens: 34, totalTokens: 46, cost: 0.25 },
      trace: { spanId: "abc" },
      invalidToolCalls: [{ toolCallId: "call_3", reason: "cut off" }],
    },
  },
  { ...stamp, role: "tool", parts: [result("call_1", { content: "A port." })] },
  { ...stamp, role: "tool", parts: [result("call_2", { content: { depth: 3, ships: ["one", "two"] } })] },
  {
    ...stamp,
    role: "tool",
    parts: [
      result("call_3", {
        isError: true,
        content: [text("Unreadable."), { kind: "image", payload: { mimeType: "image/png", data: "AAAA" } }],
      }),
    ],
  },
  { ...stamp, role: "assistant", parts: [text("Two ports."), text("")] },
];

const ODD_MESSAGES = [
  { role: "user", parts: [text("No run and no time.")] },
  { runId: null, timestamp: null, role: "user", parts: [], meta: null },
  { runId: "", timestamp: "", role: "user", parts: [], meta: {} },
  { ...stamp, role: "narrator", parts: [text("Meanwhile.")], unknown: { field: 1 }, $form: "theirs" },
  { ...stamp, role: "developer", parts: [text("Be brief.")] },
  {
    ...stamp,
    role: "assistant",
    parts: [{ kind: "chart", payload: { bars: [1, 2] } }, { kind: "pause" }, { kind: "beat", payload: null }],
    meta: {
      usage: { tokens: 3 },
      runId: "other",
      timestamp: 5,
      finishReason: "stop",
      interrupted: true,
      nothing: null,
    },
  },
];

const ODD_PARTS = [
  {
    ...stamp,
    role: "user",
    parts: [
      { kind: "text", payload: { text: "Hi", lang: "en", payload: 1 }, beside: [1], $form: 2 },
      { kind: "image", payload: { mimeType: "image/png", data: "AAAA", url: "https://example.com/same.png" } },
      { kind: "image", payload: { mimeType: null, url: null, data: null } },
      { kind: "image", payload: {} },
      { kind: "file_ref", payload: { path: "a", mimeType: null, size: null, owner: "me" } },
    ],
  },
];

const ODD_TOOLS = [
  {
    ...stamp,
    role: "assistant",
    parts: [
      call("c1", {}),
      call("c2", { arguments: null }),
      call("c3", { arguments: null, rawArgsText: '{"a":1}' }),
      call("c4", { rawArgsText: '{"a":' }),
      call("c5", { arguments: { a: 1 }, rawArgsText: '{"a":2}' }),
      call("c6", { arguments: { a: 1 }, rawArgsText: '{"a":1' }),
      call("c7", { arguments: { a: 1 }, rawArgsText: null, more: true }),
      call("c8", { arguments: "a text", rawArgsText: "" }),
      call("c9", { arguments: {}, rawArgsText: "" }),
      call("c10", { arguments: [1, 2] }),
    ],
  },
  {
    ...stamp,
    role: "tool",
    parts: [
      { kind: "tool_result", payload: { toolCallId: "c1" } },
      { kind: "tool_result", payload: { toolCallId: "c2", isError: null, content: null } },
      result("c3", { content: 5 }),
      result("c4", { content: [] }),
      result("c5", { content: [{ kind: "text", payload: { text: 5 } }] }),
      result("c6", { content: [text("a"), "b"] }),
      result("c7", { content: [{ kind: "chart", payload: {} }, result("inner", { content: [text("deep")] })] }),
      result("c8", { content: "", tookMs: 12 }),
    ],
  },
];

const EXACT = parseJson(`[
  { "runId": "run-77", "timestamp": "2026-03-01T10:00:00.000Z", "role": "assistant",
    "unknown": 12345678901234567890,
    "meta": { "usage": 12345678901234567890, "span": 98765432109876543210, "nested": { "n": 1.00000000000000000001 } },
    "parts": [
      { "kind": "tool_call", "payload": { "toolCallId": "e1", "toolName": "t", "arguments": { "id": 12345678901234567890 } } },
      { "kind": "tool_call", "payload": { "toolCallId": "e2", "toolName": "t", "arguments": { "id": 12345678901234567890 },
        "rawArgsText": "{\\"id\\": 12345678901234567890}" } },
      { "kind": "tool_call", "payload": { "toolCallId": "e3", "toolName": "t", "arguments": { "id": 12345678901234567000 },
        "rawArgsText": "{\\"id\\": 12345678901234567890}" } },
      { "kind": "tool_call", "payload": { "toolCallId": "e4", "toolName": "t", "arguments": { "id": 12345678901234567890 },
        "rawArgsText": null } },
      { "kind": "tool_call", "payload": { "toolCallId": "e5", "toolName": "t", "arguments": 12345678901234567890,
        "unknown": 12345678901234567890 }, "unknown": 12345678901234567890 }
    ] },
  { "runId": "run-77", "timestamp": "2026-03-01T10:00:00.000Z", "role": "tool",
    "parts": [
      { "kind": "tool_result", "payload": { "toolCallId": "e1", "isError": false, "content": 12345678901234567890 } },
      { "kind": "tool_result", "payload": { "toolCallId": "e2", "isError": false, "content": [12345678901234567890] } }
    ] }
]`);

export const RUN_SAMPLES: readonly MessageSample[] = [
  { name: "a plain conversation", wire: PLAIN },
  { name: "messages under a key", wire: { messages: PLAIN.slice(0, 2) } },
  { name: "odd messages", wire: ODD_MESSAGES },
  { name: "odd parts", wire: ODD_PARTS },
  { name: "odd calls and results", wire: ODD_TOOLS },
  { name: "numbers beyond doubles", wire: EXACT },
  { name: "no messages", wire: [] },
];
