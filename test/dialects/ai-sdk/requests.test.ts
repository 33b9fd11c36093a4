// The history of a `useChat` application as provider requests: each call has one result, in every state of its tool
// part.
import { expect, test } from "vitest";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Part } from "../../../src/index.ts";
import { dialect } from "../../../src/index.ts";

const weather = (toolCallId: string, state: string, more: object = {}): object => ({
  type: "tool-weather",
  toolCallId,
  state,
  input: { city: "Corinth" },
  ...more,
});
const history = [
  {
    id: "u1",
    role: "user",
    parts: [
      { type: "text", text: "How warm is it there?" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=", filename: "a.png" },
      { type: "data-place", data: { zone: 3 } },
    ],
  },
  {
    id: "a1",
    role: "assistant",
    metadata: { shownAt: 1 },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Hm.", state: "done", providerMetadata: { anthropic: { signature: "sig" } } },
      weather("c1", "output-available", { output: { celsius: 31 } }),
      weather("c2", "output-error", { errorText: "It broke." }),
      weather("c3", "output-denied", { approval: { id: "p1", approved: false, reason: "No." } }),
      { type: "step-start" },
      { type: "text", text: "31 degrees.", state: "done" },
      { type: "source-url", sourceId: "s", url: "https://example.com", title: "Weather" },
    ],
  },
  { id: "u2", role: "user", parts: [{ type: "text", text: "And tomorrow?" }] },
  {
    id: "a2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      weather("c4", "approval-responded", { approval: { id: "p2", approved: true } }),
      weather("c5", "approval-requested", { approval: { id: "p3" } }),
      weather("c6", "input-available"),
      { type: "tool-weather", toolCallId: "c7", state: "input-streaming", rawInput: '{"ci', input: {} },
    ],
  },
];
const ui = aiSdkUi();
const messages = ui.decodeMessages(history);

test("the history decodes and encodes to the same value", () => {
  const { wire, losses } = ui.encodeMessages(messages);
  expect(wire).toStrictEqual(history);
  expect(losses).toStrictEqual([]);
});

test.each(["anthropic", "openai-responses", "openai-chat", "gemini", "bedrock"])(
  "B24: %s gets one result for each call, after it",
  (id) => {
    const target = dialect(id);
    const sent = target.decodeRequest(target.encodeRequest({ model: "m", messages }).wire).messages;
    const parts: Part[] = sent.flatMap((message) => message.parts);
    const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []));
    expect(calls).toStrictEqual(["c1", "c2", "c3", "c4", "c5", "c6", "c7"]);
    expect(results).toStrictEqual(calls);
    expect(parts.findIndex(({ type }) => type === "tool-result")).toBeGreaterThan(
      parts.findIndex((part) => part.type === "tool-call" && part.toolCallId === "c3"),
    );
  },
);
