// The wire types of the encoders are assignable to the AI SDK's types.
import type { ModelMessage as SdkModelMessage, UIMessage as SdkUiMessage } from "ai";
import { expectTypeOf, test } from "vitest";
import type { ModelFile, ModelMessage, ModelToolOutput } from "../../src/dialects/ai-sdk-model/index.ts";
import type { UiCitation, UiMessage, UiTool } from "../../src/dialects/ai-sdk-ui/index.ts";

/** JSON has strings where the SDK's types have URL; the SDK accepts both. */
type WithUrls<T> = T extends { type: "url"; url: string }
  ? Omit<T, "url"> & { url: URL }
  : T extends readonly (infer Item)[]
    ? WithUrls<Item>[]
    : T extends object
      ? { [Key in keyof T]: WithUrls<T[Key]> }
      : T;

test("model messages are the SDK's", () => {
  expectTypeOf<WithUrls<Extract<ModelMessage, { role: "system" }>>>().toExtend<SdkModelMessage>();
  expectTypeOf<WithUrls<Extract<ModelMessage, { role: "user" }>>>().toExtend<SdkModelMessage>();
  expectTypeOf<WithUrls<Extract<ModelMessage, { role: "assistant" }>>>().toExtend<SdkModelMessage>();
  expectTypeOf<WithUrls<Extract<ModelMessage, { role: "tool" }>>>().toExtend<SdkModelMessage>();
});

test("UI messages are the SDK's", () => {
  expectTypeOf<UiMessage>().toExtend<SdkUiMessage>();
});

test("a part that the SDK's types do not have is a type error here", () => {
  expectTypeOf<{ type: "image" }>().not.toExtend<ModelFile>();
  expectTypeOf<{ type: "denied" }>().not.toExtend<ModelToolOutput>();
  expectTypeOf<{ type: "tool-f"; toolCallId: "c"; state: "output-available" }>().not.toExtend<UiTool>();
  expectTypeOf<{ url: string }>().not.toExtend<UiCitation>();
});
