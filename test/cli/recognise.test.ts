// What records are taken for: the dialect of a list of messages, and messages among payloads.
import { describe, expect, test } from "vitest";
import { dialectOfMessages, isMessage } from "../../src/cli/read/messages.ts";
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
    expect(dialectOfMessages(list)).toBe(dialect);
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
