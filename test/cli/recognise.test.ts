// What records are taken for: the dialect of a list of messages, and messages among payloads.
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
  stored,
} from "./samples.ts";

const text = { type: "text", text: "Hi." };

describe("the dialect of a list of messages", () => {
  test.each<[sentence: string, list: unknown[], dialect: string | undefined]>([
    ["plain texts could be of many", [{ role: "user", content: "Hi." }], undefined],
    ["a system message is Chat's", chatRequest.messages, "openai-chat"],
    ["blocks of Anthropic", agentRequest.messages, "anthropic"],
    ["parts of Gemini", geminiRequest.contents, "gemini"],
    [
      "items of Responses",
      [
        { role: "user", content: "Hi." },
        { type: "function_call_output", call_id: "c", output: "x" },
      ],
      "openai-responses",
    ],
    ["tagged parts", [{ role: "USER", content: [{ kind: "TEXT", text: "Hi." }] }], "tagged"],
    ["parts of a run", [{ role: "user", runId: "r", parts: [{ kind: "text", payload: { text: "Hi." } }] }], "run"],
    ["stored messages", stored, "canonical"],
    ["stored messages that say nothing", [{ ...stored[0], parts: [] }], "canonical"],
    [
      "Koine's messages that were never stored",
      [{ role: "assistant", parts: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] }],
      "canonical",
    ],
    ["Koine's texts or the AI SDK's", [{ role: "user", parts: [text] }], undefined],
    ["the AI SDK's steps", [{ id: "1", role: "assistant", parts: [{ type: "step-start" }, text] }], "ai-sdk-ui"],
    [
      "the AI SDK's tools",
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
      "the AI SDK's calls for models",
      [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] }],
      "ai-sdk-model",
    ],
    ["what is no list of objects", ["Hi."], undefined],
    ["nothing", [], undefined],
  ])("%s", (_sentence, list, dialect) => {
    expect(detectMessageDialect(list)).toBe(dialect);
  });
});

describe("a request that could be of several dialects", () => {
  const dialectOf = (id: string): Dialect => dialect(id);
  const plain = { max_tokens: 5, messages: [{ role: "user", content: [text] }] };

  test.each<[sentence: string, body: object, expected: string | undefined]>([
    ["is Anthropic's if it asks Claude", { model: "claude-opus-4-8", ...plain }, "anthropic request"],
    ["is Chat's if it asks one of OpenAI's models", { model: "gpt-5", ...plain }, "openai-chat request"],
    ["or one of the o series", { model: "o3-mini", ...plain }, "openai-chat request"],
    ["or one that was tuned", { model: "ft:gpt-5:me", ...plain }, "openai-chat request"],
    ["is Responses' if it has an input", { model: "gpt-5", input: "Hi." }, "openai-responses request"],
    ["is no request for speech", { model: "gpt-5-mini-tts", input: "Hi." }, undefined],
    ["stays open for other models", { model: "opus", ...plain }, undefined],
    ["stays open for a gateway's names", { model: "anthropic/claude-opus-4-8", ...plain }, undefined],
    ["stays open without a model", plain, undefined],
    [
      "is told by the model in its address",
      { address: { model: "claude-opus-4-8" }, body: plain },
      "anthropic request",
    ],
    [
      "is what its messages show, whatever the model",
      { model: "claude-opus-4-8", messages: chatRequest.messages },
      "openai-chat request",
    ],
    [
      "is an app's where its messages are",
      { model: "gpt-5", messages: [{ id: "1", role: "assistant", parts: [{ type: "step-start" }] }] },
      "ai-sdk-ui messages",
    ],
  ])("%s", (_sentence, body, expected) => {
    const told = (): string => {
      const { dialect: found, kind, isGuess } = classifyRecord(body, { getDialect: dialectOf });
      expect(isGuess).toBe(false);
      return `${found.id} ${kind}`;
    };
    if (expected === undefined) expect(told).toThrow("could be of several dialects");
    else expect(told()).toBe(expected);
  });

  test.each<[sentence: string, record: unknown, expected: string | undefined]>([
    ["a request", { model: "opus", ...plain }, "openai-chat request"],
    ["texts", [{ role: "user", content: "Hi." }], "openai-chat messages"],
    ["an input", { model: "opus", input: "Hi." }, "openai-responses request"],
    ["parts", [{ role: "user", parts: [text] }], "ai-sdk-ui messages"],
    ["an error", { error: { message: "No." } }, "openai-chat error"],
    ["what nobody can read", [{ hello: 1 }], undefined],
    ["what is nothing", { hello: 1 }, undefined],
  ])("is read as the likeliest where that will do: %s", (_sentence, record, expected) => {
    const guessed = (): string => {
      const { dialect: found, kind, isGuess } = classifyRecord(record, { getDialect: dialectOf, allowGuess: true });
      expect(isGuess).toBe(true);
      return `${found.id} ${kind}`;
    };
    if (expected === undefined) expect(guessed).toThrow("could be of several dialects");
    else expect(guessed()).toBe(expected);
  });
});

test.each<[sentence: string, value: object, expected: boolean]>([
  ["a message", { role: "user", content: "Hi." }, true],
  ["a stored message", stored[0] ?? {}, true],
  ["an item of Responses", { type: "function_call", call_id: "c", name: "f", arguments: "{}" }, true],
  ["a request", anthropicRequest, false],
  ["a response", chatResponse, false],
  [
    "a response that has a role, too",
    { type: "message", role: "assistant", content: [], stop_reason: "end_turn" },
    false,
  ],
  ["an error", anthropicError, false],
  ["an envelope", { role: "x", body: {} }, false],
])("%s among the elements of a list", (_sentence, value, expected) => {
  // Samples are JSON.
  expect(isMessage(value as Parameters<typeof isMessage>[0])).toBe(expected);
});
