// Compares the wire types of the Chat encoder with those of the official SDK. The compiler checks them (`npm run
// check`); at run time the assertions only have to run.
import type OpenAI from "openai";
import { describe, expectTypeOf, test } from "vitest";
import type {
  ChatContentPart,
  ChatError,
  ChatLogprob,
  ChatMessage,
  ChatRefusal,
  ChatRequest,
  ChatResponse,
  ChatResponseFormat,
  ChatTool,
  ChatToolCall,
  ChatToolChoice,
  ChatUsage,
} from "../../src/dialects/openai-chat/index.ts";
import type { JsonObject } from "../../src/model/json/index.ts";

type Params = OpenAI.ChatCompletionCreateParams;

describe("requests are the SDK's parameters", () => {
  test("messages", () => {
    expectTypeOf<ChatMessage>().toExtend<OpenAI.ChatCompletionMessageParam>();
    expectTypeOf<ChatContentPart>().toExtend<OpenAI.ChatCompletionContentPart>();
    expectTypeOf<ChatRefusal>().toExtend<OpenAI.ChatCompletionContentPartRefusal>();
    expectTypeOf<ChatToolCall>().toExtend<OpenAI.ChatCompletionMessageToolCall>();
  });

  test("settings", () => {
    expectTypeOf<ChatTool>().toExtend<OpenAI.ChatCompletionTool>();
    expectTypeOf<ChatToolChoice>().toExtend<NonNullable<Params["tool_choice"]>>();
    expectTypeOf<ChatResponseFormat>().toExtend<NonNullable<Params["response_format"]>>();
    expectTypeOf<ChatRequest & { stream: true }>().toExtend<OpenAI.ChatCompletionCreateParamsStreaming>();
    expectTypeOf<ChatRequest & { stream: false }>().toExtend<OpenAI.ChatCompletionCreateParamsNonStreaming>();
  });

  test("every setting has the SDK's name", () => {
    expectTypeOf<keyof ChatRequest>().toExtend<keyof OpenAI.ChatCompletionCreateParamsStreaming>();
  });
});

describe("answers are the SDK's results", () => {
  test("whole responses and chunks", () => {
    expectTypeOf<ChatResponse>().toExtend<OpenAI.ChatCompletion>();
    expectTypeOf<ChatUsage>().toExtend<OpenAI.CompletionUsage>();
    expectTypeOf<ChatLogprob>().toExtend<OpenAI.ChatCompletionTokenLogprob>();
  });

  test("wire values are JSON", () => {
    expectTypeOf<ChatError>().toExtend<JsonObject>();
    expectTypeOf<ChatLogprob>().toExtend<JsonObject>();
    expectTypeOf<ChatToolCall>().toExtend<JsonObject>();
  });
});
