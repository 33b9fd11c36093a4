// Model messages of the AI SDK: samples decode and encode to the same value, plain ones without residue.
import { expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import * as koine from "../../../src/index.ts";
import { messageConformance } from "../../../src/testkit/index.ts";
import { plainSamples, samples } from "./model-message-samples.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = aiSdkModel();

for (const { title, run } of messageConformance(dialect, { samples, mutants: scaleRunCount(400) })) test(title, run);

test.each(plainSamples)("$name decodes without residue", ({ wire }) => {
  expect(JSON.stringify(dialect.decodeMessages(wire))).not.toContain('"extra"');
});

test("B5: signatures go from the SDK to their providers' own dialects, and back", () => {
  const wire = [
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "sig" } } },
        { type: "text", text: "Well." },
      ],
    },
  ];
  const messages = dialect.decodeMessages(wire);
  const anthropic = koine.dialect("anthropic");
  const sent = anthropic.encodeMessages(messages).wire;
  expect(sent).toMatchObject([
    { content: [{ type: "thinking", thinking: "Hm.", signature: "sig" }, { type: "text" }] },
  ]);
  expect(dialect.encodeMessages(anthropic.decodeMessages(sent)).wire).toStrictEqual(wire);
});

test("B5: a seal under two provider keys is one seal, which an edit removes from both", () => {
  const both = { amazonBedrock: { signature: "sig" }, bedrock: { signature: "sig" } };
  const wire = [{ role: "assistant", content: [{ type: "reasoning", text: "Hm.", providerOptions: both }] }];
  const messages = dialect.decodeMessages(wire);
  expect(messages[0]?.parts[0]?.seals).toStrictEqual([{ dialect: "bedrock", kind: "signature", value: "sig" }]);
  expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  const request = { model: "anthropic.claude", messages: [koine.user("Go."), ...messages, koine.user("On.")] };
  expect(koine.dialect("bedrock").encodeRequest(request).wire).toMatchObject({
    messages: [{}, { content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } }] }, {}],
  });
  const edited = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (part.type === "reasoning" ? koine.editPart(part, { text: "Changed." }) : part)),
  }));
  expect(JSON.stringify(dialect.encodeMessages(edited).wire)).not.toContain("sig");
});

test("a cache breakpoint of a message moves to its last part", () => {
  const options = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" }, other: 1 } };
  const texts = ["a", "b"].map((each) => ({ type: "text", text: each }));
  const wire = [{ role: "user", content: texts, providerOptions: options }];
  const messages = dialect.decodeMessages(wire);
  expect(messages[0]?.parts.map(({ cache }) => cache)).toStrictEqual([undefined, { ttl: "1h" }]);
  expect(dialect.encodeMessages(messages).wire).toStrictEqual(wire);
  expect(koine.dialect("anthropic").encodeRequest({ model: "m", messages }).wire).toMatchObject({
    messages: [{ content: [{ text: "a" }, { text: "b", cache_control: { type: "ephemeral", ttl: "1h" } }] }],
  });
});

test("approval responses are inserted before the results that follow", () => {
  const response = { type: "tool-approval-response", approvalId: "p", approved: true };
  const call = koine.toolCall("c", "f", {});
  const { wire } = dialect.encodeMessages([
    { role: "assistant", parts: [call, { type: "opaque", dialect: "ai-sdk-model", value: response }] },
    koine.toolResult(call, "x"),
  ]);
  expect(wire).toMatchObject([{ content: [{ type: "tool-call" }] }, { content: [response, { type: "tool-result" }] }]);
});

test("B12: the SDK's parts of an OpenAI item become one item of the Responses API", () => {
  const piece = (text: string, more: object): object => ({
    type: "reasoning",
    text,
    providerOptions: { openai: { itemId: "rs_1", ...more } },
  });
  const content = [piece("First.", {}), piece("Second.", { reasoningEncryptedContent: "enc" })];
  const messages = dialect.decodeMessages([
    { role: "assistant", content: [...content, { type: "text", text: "So." }] },
  ]);
  const { wire } = koine.dialect("openai-responses").encodeMessages(messages);
  expect(wire).toMatchObject([
    {
      type: "reasoning",
      id: "rs_1",
      encrypted_content: "enc",
      summary: [
        { type: "summary_text", text: "First." },
        { type: "summary_text", text: "Second." },
      ],
    },
    { role: "assistant" },
  ]);
});

test("B9: Gemini's signature stays on its call", () => {
  const wire = [
    {
      role: "assistant",
      content: [
        {
          type: "tool-call",
          toolCallId: "c",
          toolName: "f",
          input: {},
          providerOptions: { google: { thoughtSignature: "ts" } },
        },
      ],
    },
  ];
  const { wire: sent } = koine.dialect("gemini").encodeMessages(dialect.decodeMessages(wire));
  expect(JSON.stringify(sent)).toContain('"thoughtSignature":"ts"');
});

test("in-memory values such as Uint8Array and URL are decoded", () => {
  const bytes = new Uint8Array([104, 105]);
  const wire = [
    {
      role: "user",
      content: [
        { type: "image", image: new URL("https://example.com/a") },
        { type: "file", data: bytes, mediaType: "text/plain" },
        { type: "file", data: { type: "data", data: bytes.buffer }, mediaType: "text/plain", filename: undefined },
      ],
    },
  ];
  expect(dialect.decodeMessages(wire)[0]?.parts).toMatchObject([
    { type: "image", url: "https://example.com/a" },
    { type: "file", data: "aGk=", mimeType: "text/plain" },
    { type: "file", data: "aGk=", mimeType: "text/plain" },
  ]);
});

test("B23: a number beyond double precision keeps its digits", () => {
  const text =
    '[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"f","input":{"id":12345678901234567890}}]}]';
  const stored = JSON.parse(JSON.stringify(dialect.decodeMessages(koine.parseJson(text)))) as koine.Message[];
  expect(koine.stringifyJson(dialect.encodeMessages(stored).wire)).toBe(text);
});

test.each<[string, unknown, string]>([
  ["no role", [{ content: "x" }], "/0/role"],
  ["no content", [{ role: "user" }], "/0/content"],
  ["content that is a number", [{ role: "user", content: 7 }], "/0/content"],
  ["a part that is a text", { messages: [{ role: "user", content: ["x"] }] }, "/messages/0/content/0"],
])("%s is rejected with its path", (_, wire, path) => {
  expect(() => dialect.decodeMessages(wire)).toThrow(
    expect.objectContaining({ path, dialect: "ai-sdk-model" }) as Error,
  );
});
