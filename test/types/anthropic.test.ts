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

/** Fields that the SDK's types demand and the API sends only now and then: nobody can count on them. */
type Rare = "container" | "diagnostics" | "stop_details";
type RareCount = Exclude<keyof Anthropic.Messages.Usage, keyof wire.AnthropicUsage> | RareDetail;
type RareDetail = "cache_creation" | "output_tokens_details";
/** The blocks of an answer, whose calls say by whom they were made only where it was not the model itself. */
type Answered = Anthropic.Messages.TextBlock | Anthropic.Messages.ThinkingBlock;

test("answers and errors are what the SDK gives", () => {
  type Content = "content" | "usage";
  expectTypeOf<Omit<wire.AnthropicResponse, Content>>().toExtend<Omit<Anthropic.Messages.Message, Content | Rare>>();
  expectTypeOf<wire.AnthropicUsage>().toExtend<Partial<Anthropic.Messages.Usage>>();
  expectTypeOf<wire.AnthropicUsage>().toExtend<Omit<Anthropic.Messages.Usage, RareCount>>();
  expectTypeOf<wire.AnsweredText | wire.ThinkingBlock>().toExtend<Answered>();
  expectTypeOf<wire.AnsweredText>().toExtend<wire.AnthropicResponse["content"][number]>();
  expectTypeOf<wire.ToolUseBlock>().toExtend<Omit<Anthropic.Messages.ToolUseBlock, "caller">>();
  expectTypeOf<wire.StopReason>().toExtend<Anthropic.Messages.StopReason>();
  expectTypeOf<wire.AnthropicError["error"]>().toExtend<Anthropic.ErrorObject>();
});
