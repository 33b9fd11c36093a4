// What the encoders write for canonical values is what the official SDK takes and gives. The compiler checks it; at run
// time the assertions only have to run.
import type Anthropic from "@anthropic-ai/sdk";
import { expectTypeOf, test } from "vitest";
import type * as wire from "../../src/dialects/anthropic/types.ts";

/** Sampling, which the SDK's types no longer name and the API takes where a model does; streaming is two types there. */
type Rest = Omit<wire.AnthropicRequest, "temperature" | "top_p" | "top_k" | "stream">;

test("requests are what the SDK takes", () => {
  expectTypeOf<Rest>().toExtend<Anthropic.Messages.MessageCreateParamsNonStreaming>();
  expectTypeOf<Rest>().toExtend<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming>();
});

test("turns and blocks are what the SDK takes", () => {
  expectTypeOf<wire.AnthropicMessage>().toExtend<Anthropic.Messages.MessageParam>();
  expectTypeOf<wire.ContentBlock>().toExtend<Anthropic.Messages.ContentBlockParam>();
  expectTypeOf<wire.CustomTool>().toExtend<Anthropic.Messages.Tool>();
  expectTypeOf<wire.ToolChoice>().toExtend<Anthropic.Messages.ToolChoice>();
  expectTypeOf<wire.Thinking>().toExtend<Anthropic.Messages.ThinkingConfigParam>();
});

/** Fields that the SDK's types demand and the API sends only now and then. */
type Said = "id" | "type" | "role" | "model" | "stop_reason" | "stop_sequence";

test("answers and errors are what the SDK gives", () => {
  expectTypeOf<Pick<wire.AnthropicResponse, Said>>().toExtend<Pick<Anthropic.Messages.Message, Said>>();
  expectTypeOf<wire.AnthropicUsage>().toExtend<Partial<Anthropic.Messages.Usage>>();
  expectTypeOf<wire.StopReason>().toExtend<Anthropic.Messages.StopReason>();
  expectTypeOf<wire.AnthropicError["error"]>().toExtend<Anthropic.ErrorObject>();
});
