// UI messages of the AI SDK: samples decode and encode to the same value, plain ones without residue.
import { describe, expect, test } from "vitest";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import { assistant, toolCall, toolResult } from "../../../src/index.ts";
import { messageConformance } from "../../../src/testkit/index.ts";
import { plainSamples, samples } from "./ui-message-samples.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = aiSdkUi();

for (const { title, run } of messageConformance(dialect, { samples, mutants: scaleRunCount(400) })) test(title, run);

test.each(plainSamples)("$name decodes without residue", ({ wire }) => {
  expect(JSON.stringify(dialect.decodeMessages(wire))).not.toContain('"extra"');
});

describe("decoded parts", () => {
  const rows: [sentence: string, part: object, messages: object[]][] = [
    [
      "B1: the signature of reasoning becomes a seal of Anthropic",
      { type: "reasoning", text: "Hm.", state: "done", providerMetadata: { anthropic: { signature: "s" } } },
      [
        {
          role: "assistant",
          parts: [{ type: "reasoning", text: "Hm.", seals: [{ dialect: "anthropic", kind: "signature", value: "s" }] }],
        },
      ],
    ],
    [
      "B12: the text of OpenAI reasoning becomes a summary of its item",
      { type: "reasoning", text: "Hm.", state: "done", providerMetadata: { openai: { itemId: "rs_1" } } },
      [
        {
          role: "assistant",
          parts: [
            {
              type: "reasoning",
              text: "",
              summary: ["Hm."],
              seals: [{ dialect: "openai-responses", kind: "id", value: "rs_1" }],
            },
          ],
        },
      ],
    ],
    [
      "a tool part with output becomes a call and a result in a tool message",
      { type: "tool-f", toolCallId: "c", state: "output-available", input: { a: 1 }, output: [2] },
      [
        { role: "assistant", parts: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } }] },
        {
          role: "tool",
          parts: [{ type: "tool-result", toolCallId: "c", toolName: "f", isError: false, output: [2] }],
        },
      ],
    ],
    [
      "B33: a tool part of the provider becomes a call and a result of the assistant",
      { type: "tool-f", toolCallId: "c", state: "output-error", input: {}, errorText: "No.", providerExecuted: true },
      [
        {
          role: "assistant",
          parts: [
            { type: "tool-call", toolCallId: "c", toolName: "f", input: {}, executor: "provider" },
            {
              type: "tool-result",
              toolCallId: "c",
              toolName: "f",
              isError: true,
              executor: "provider",
              output: "No.",
            },
          ],
        },
      ],
    ],
    [
      "B31: a call whose input is still streaming is invalid",
      { type: "tool-f", toolCallId: "c", state: "input-streaming", rawInput: '{"a":' },
      [
        {
          role: "assistant",
          parts: [
            {
              type: "tool-call",
              toolCallId: "c",
              toolName: "f",
              input: '{"a":',
              invalid: true,
              inputText: '{"a":',
            },
          ],
        },
      ],
    ],
    [
      "B31: a call whose text input is still streaming is invalid",
      { type: "tool-f", toolCallId: "c", state: "input-streaming", rawInput: "free", inputEncoding: "text" },
      [
        {
          role: "assistant",
          parts: [
            {
              type: "tool-call",
              toolCallId: "c",
              toolName: "f",
              input: "free",
              invalid: true,
              format: "text",
              inputText: "free",
            },
          ],
        },
      ],
    ],
    [
      "B46: a data URL becomes inline data",
      { type: "file", url: "data:image/png;base64,aGk=", mediaType: "image/png", filename: "a.png" },
      [{ role: "assistant", parts: [{ type: "image", mimeType: "image/png", data: "aGk=", name: "a.png" }] }],
    ],
  ];
  test.each(rows)("%s", (_, part, messages) => {
    const wire = [{ id: "m", role: "assistant", parts: [{ type: "step-start" }, part] }];
    expect(dialect.decodeMessages(wire)).toStrictEqual(
      messages.map((message, at) => (at === 0 ? { ...message, id: "m" } : message)),
    );
  });
});

test("a steering message between two steps becomes a user message", () => {
  const text = (value: string): object => ({ type: "text", text: value, state: "done" });
  const wire = [
    {
      id: "m",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output: 1 },
        { type: "steering-message", id: "s", parts: [{ type: "text", text: "Faster." }] },
        { type: "step-start" },
        text("Done."),
        { type: "steering-message", id: "t", parts: [{ type: "text", text: "Thanks." }] },
        text("Bye."),
      ],
    },
  ];
  const messages = dialect.decodeMessages(wire);
  expect(messages.map(({ role }) => role)).toStrictEqual([
    "assistant",
    "tool",
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  const { wire: again, losses } = dialect.encodeMessages(messages);
  expect(again).toStrictEqual(wire);
  expect(losses).toStrictEqual([]);
});

test("stored messages with their own ids become one UI message per run", () => {
  const wire = dialect.encodeMessages([
    { ...assistant([toolCall("c", "f", {})]), id: "one" },
    { ...toolResult({ toolCallId: "c", toolName: "f" }, "x"), id: "two" },
    { ...assistant("Done."), id: "three" },
    { ...assistant("Another."), id: "four" },
  ]).wire;
  expect(wire).toMatchObject([
    { id: "one", parts: [{ type: "step-start" }, { type: "tool-f" }, { type: "step-start" }, { type: "text" }] },
    { id: "four", parts: [{ type: "step-start" }, { type: "text" }] },
  ]);
});

test.each<[string, unknown, string]>([
  ["a message that is a text", ["x"], "/0"],
  ["no role", [{ parts: [] }], "/0/role"],
  ["no parts", [{ role: "user" }], "/0/parts"],
  ["parts that are a text", [{ role: "user", parts: "x" }], "/0/parts"],
  ["a part that is a text", { messages: [{ role: "user", parts: ["x"] }] }, "/messages/0/parts/0"],
])("%s is rejected with its path", (_, wire, path) => {
  expect(() => dialect.decodeMessages(wire)).toThrow(expect.objectContaining({ path, dialect: "ai-sdk-ui" }) as Error);
});
