// Compares the wire types of the encoders with the types of the official SDK. The compiler checks the assertions.
import type Anthropic from "@anthropic-ai/sdk";
import { expectTypeOf, test } from "vitest";
import type * as wire from "../../src/dialects/anthropic/types.ts";

/** Request without the fields that the SDK's type omits: sampling, and `stream`, which it has in two types. */
type SdkRequestFields = Omit<wire.AnthropicRequest, "temperature" | "top_p" | "top_k" | "stream">;

test("requests have the SDK's types", () => {
  expectTypeOf<SdkRequestFields>().toExtend<Anthropic.Messages.MessageCreateParamsNonStreaming>();
  expectTypeOf<SdkRequestFields>().toExtend<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming>();
});

test("messages and blocks have the SDK's types", () => {
  expectTypeOf<wire.AnthropicMessage>().toExtend<Anthropic.Messages.MessageParam>();
  expectTypeOf<wire.ContentBlock>().toExtend<Anthropic.Messages.ContentBlockParam>();
  expectTypeOf<wire.CustomTool>().toExtend<Anthropic.Messages.Tool>();
  expectTypeOf<wire.AnthropicToolChoice>().toExtend<Anthropic.Messages.ToolChoice>();
  expectTypeOf<wire.AnthropicThinking>().toExtend<Anthropic.Messages.ThinkingConfigParam>();
});

/** Fields that the SDK's types require, but the API often omits. */
type RareField = "container" | "diagnostics" | "stop_details";
type RareCount = Exclude<keyof Anthropic.Messages.Usage, keyof wire.AnthropicUsage> | RareDetail;
type RareDetail = "cache_creation" | "output_tokens_details";
/** Blocks of a response; calls are excluded, because the SDK's type requires `caller`, which the API often omits. */
type AnswerBlock = Anthropic.Messages.TextBlock | Anthropic.Messages.ThinkingBlock;

test("responses and errors have the SDK's types", () => {
  type Content = "content" | "usage";
  expectTypeOf<Omit<wire.AnthropicResponse, Content>>().toExtend<
    Omit<Anthropic.Messages.Message, Content | RareField>
  >();
  expectTypeOf<wire.AnthropicUsage>().toExtend<Partial<Anthropic.Messages.Usage>>();
  expectTypeOf<wire.AnthropicUsage>().toExtend<Omit<Anthropic.Messages.Usage, RareCount>>();
  expectTypeOf<wire.ResponseTextBlock | wire.ThinkingBlock>().toExtend<AnswerBlock>();
  expectTypeOf<wire.ResponseTextBlock>().toExtend<wire.AnthropicResponse["content"][number]>();
  expectTypeOf<wire.ToolUseBlock>().toExtend<Omit<Anthropic.Messages.ToolUseBlock, "caller">>();
  expectTypeOf<wire.AnthropicStopReason>().toExtend<Anthropic.Messages.StopReason>();
  expectTypeOf<wire.AnthropicError["error"]>().toExtend<Anthropic.ErrorObject>();
});
