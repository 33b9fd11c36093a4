// Tests the detection of dialect and kind: message lists, ambiguous requests, and messages among list elements.
import { describe, expect, test } from "vitest";
import { detectMessageDialect, isMessage } from "../../src/cli/read/message-dialect.ts";
import { classifyRecord } from "../../src/cli/read/classify-record.ts";
import type { Dialect } from "../../src/index.ts";
import { dialect } from "../../src/index.ts";
import {
  agentRequest,
  anthropicError,
  anthropicRequest,
  chatRequest,
  chatResponse,
  geminiRequest,
  storedMessages,
} from "./samples.ts";

const text = { type: "text", text: "Hi." };

describe("the dialect of a list of messages", () => {
  test.each<[sentence: string, list: unknown[], dialect: string | undefined]>([
    ["plain text fits several dialects", [{ role: "user", content: "Hi." }], undefined],
    ["a system message is openai-chat", chatRequest.messages, "openai-chat"],
    ["content blocks are anthropic", agentRequest.messages, "anthropic"],
    ["contents with parts are gemini", geminiRequest.contents, "gemini"],
    [
      "items are openai-responses",
      [
        { role: "user", content: "Hi." },
        { type: "function_call_output", call_id: "c", output: "x" },
      ],
      "openai-responses",
    ],
    ["tagged parts", [{ role: "USER", content: [{ kind: "TEXT", text: "Hi." }] }], "tagged"],
    ["parts of a run", [{ role: "user", runId: "r", parts: [{ kind: "text", payload: { text: "Hi." } }] }], "run"],
    ["stored messages", storedMessages, "canonical"],
    ["stored messages without parts", [{ ...storedMessages[0], parts: [] }], "canonical"],
    [
      "canonical messages that were never stored",
      [{ role: "assistant", parts: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] }],
      "canonical",
    ],
    ["text parts fit canonical and ai-sdk-ui", [{ role: "user", parts: [text] }], undefined],
    ["step parts are ai-sdk-ui", [{ id: "1", role: "assistant", parts: [{ type: "step-start" }, text] }], "ai-sdk-ui"],
    [
      "tool parts are ai-sdk-ui",
      [
        {
          id: "1",
          role: "assistant",
          parts: [{ type: "tool-f", toolCallId: "c", state: "input-available", input: {} }],
        },
      ],
      "ai-sdk-ui",
    ],
    [
      "tool-call content is ai-sdk-model",
      [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] }],
      "ai-sdk-model",
    ],
    ["a list of strings", ["Hi."], undefined],
    ["an empty list", [], undefined],
  ])("%s", (_sentence, list, dialect) => {
    expect(detectMessageDialect(list)).toBe(dialect);
  });
});

describe("a request that could be of several dialects", () => {
  const dialectOf = (id: string): Dialect => dialect(id);
  const plain = { max_tokens: 5, messages: [{ role: "user", content: [text] }] };

  test.each<[sentence: string, body: object, expected: string | undefined]>([
    ["is anthropic if the model is a Claude model", { model: "claude-opus-4-8", ...plain }, "anthropic request"],
    ["is openai-chat if the model is an OpenAI model", { model: "gpt-5", ...plain }, "openai-chat request"],
    ["is openai-chat if the model is of the o series", { model: "o3-mini", ...plain }, "openai-chat request"],
    ["is openai-chat if the model is fine-tuned", { model: "ft:gpt-5:me", ...plain }, "openai-chat request"],
    ["is openai-responses if it has an input", { model: "gpt-5", input: "Hi." }, "openai-responses request"],
    ["is not detected if the model produces speech", { model: "gpt-5-mini-tts", input: "Hi." }, undefined],
    ["is not detected for other models", { model: "opus", ...plain }, undefined],
    ["is not detected for the model names of a gateway", { model: "anthropic/claude-opus-4-8", ...plain }, undefined],
    ["is not detected without a model", plain, undefined],
    [
      "is detected by the model in its envelope",
      { address: { model: "claude-opus-4-8" }, body: plain },
      "anthropic request",
    ],
    [
      "is detected by its messages before its model",
      { model: "claude-opus-4-8", messages: chatRequest.messages },
      "openai-chat request",
    ],
    [
      "is ai-sdk-ui if its messages are",
      { model: "gpt-5", messages: [{ id: "1", role: "assistant", parts: [{ type: "step-start" }] }] },
      "ai-sdk-ui messages",
    ],
  ])("%s", (_sentence, body, expected) => {
    const classify = (): string => {
      const { dialect: detected, kind, isGuess } = classifyRecord(body, { getDialect: dialectOf });
      expect(isGuess).toBe(false);
      return `${detected.id} ${kind}`;
    };
    if (expected === undefined) expect(classify).toThrow("cannot be detected");
    else expect(classify()).toBe(expected);
  });

  test.each<[sentence: string, record: unknown, expected: string | undefined]>([
    ["a request", { model: "opus", ...plain }, "openai-chat request"],
    ["texts", [{ role: "user", content: "Hi." }], "openai-chat messages"],
    ["an input", { model: "opus", input: "Hi." }, "openai-responses request"],
    ["parts", [{ role: "user", parts: [text] }], "ai-sdk-ui messages"],
    ["an error", { error: { message: "No." } }, "openai-chat error"],
    ["a list of unknown objects", [{ hello: 1 }], undefined],
    ["an unknown object", { hello: 1 }, undefined],
  ])("is classified as the most likely dialect with allowGuess: %s", (_sentence, record, expected) => {
    const guessed = (): string => {
      const { dialect: detected, kind, isGuess } = classifyRecord(record, { getDialect: dialectOf, allowGuess: true });
      expect(isGuess).toBe(true);
      return `${detected.id} ${kind}`;
    };
    if (expected === undefined) expect(guessed).toThrow("cannot be detected");
    else expect(guessed()).toBe(expected);
  });
});

test.each<[sentence: string, value: object, expected: boolean]>([
  ["a message", { role: "user", content: "Hi." }, true],
  ["a stored message", storedMessages[0] ?? {}, true],
  ["an item of Responses", { type: "function_call", call_id: "c", name: "f", arguments: "{}" }, true],
  ["a request", anthropicRequest, false],
  ["a response", chatResponse, false],
  ["a response with a role", { type: "message", role: "assistant", content: [], stop_reason: "end_turn" }, false],
  ["an error", anthropicError, false],
  ["an envelope", { role: "x", body: {} }, false],
])("isMessage recognizes %s", (_sentence, value, expected) => {
  // The samples are JSON objects.
  expect(isMessage(value as Parameters<typeof isMessage>[0])).toBe(expected);
});
