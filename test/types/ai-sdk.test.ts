// What the encoders write for the model's own words is what the AI SDK's types take.
import type { ModelMessage as SdkModelMessage, UIMessage as SdkUiMessage } from "ai";
import { expectTypeOf, test } from "vitest";
import type { ModelFile, ModelMessage, ModelToolOutput } from "../../src/dialects/ai-sdk-model/index.ts";
import type { UiCitation, UiMessage, UiTool } from "../../src/dialects/ai-sdk-ui/index.ts";

/** JSON has texts where the SDK's types say URL; its readers take both. */
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

test("what is no part of the SDK's types is none here", () => {
  expectTypeOf<{ type: "image" }>().not.toExtend<ModelFile>();
  expectTypeOf<{ type: "denied" }>().not.toExtend<ModelToolOutput>();
  expectTypeOf<{ type: "tool-f"; toolCallId: "c"; state: "output-available" }>().not.toExtend<UiTool>();
  expectTypeOf<{ url: string }>().not.toExtend<UiCitation>();
});
