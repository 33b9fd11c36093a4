// Compares the wire types of the encoders with the types of the official SDK. The compiler checks the assertions.
import type {
  BedrockRuntimeServiceException,
  ContentBlock,
  ConverseRequest,
  ConverseResponse,
  ConverseStreamOutput,
  Message,
  StopReason,
  TokenUsage,
  Tool,
  ToolChoice,
} from "@aws-sdk/client-bedrock-runtime";
import { expectTypeOf, test } from "vitest";
import type * as wire from "../../src/dialects/bedrock/types.ts";

/** Replaces base64 by the SDK's byte arrays. */
type WithByteArrays<T> = T extends readonly (infer E)[]
  ? WithByteArrays<E>[]
  : T extends object
    ? { [K in keyof T]: K extends "bytes" | "redactedContent" ? Uint8Array : WithByteArrays<T[K]> }
    : T;
/** The SDK's input has the model, which is part of the URL on the wire. */
type SdkRequest = WithByteArrays<wire.BedrockRequest> & { modelId: string };

test("requests have the SDK's types", () => {
  expectTypeOf<SdkRequest>().toExtend<ConverseRequest>();
});

test("messages, blocks and tools have the SDK's types", () => {
  expectTypeOf<WithByteArrays<wire.BedrockMessage>>().toExtend<Message>();
  expectTypeOf<WithByteArrays<wire.ContentBlock>>().toExtend<ContentBlock>();
  expectTypeOf<wire.ToolSpec>().toExtend<Tool>();
  expectTypeOf<wire.BedrockToolChoice>().toExtend<ToolChoice>();
});

test("responses, events and errors have the SDK's types", () => {
  type SdkResponse = WithByteArrays<wire.BedrockResponse> & { metrics: undefined };
  expectTypeOf<SdkResponse>().toExtend<ConverseResponse>();
  expectTypeOf<wire.BedrockUsage>().toExtend<TokenUsage>();
  expectTypeOf<wire.BedrockStopReason>().toEqualTypeOf<StopReason>();
  type Metadata = { metadata: { usage: wire.BedrockUsage; metrics: undefined } };
  type Events = Exclude<wire.BedrockEvent, { metadata: unknown }> | Metadata;
  expectTypeOf<WithByteArrays<Events>>().toExtend<ConverseStreamOutput>();
  expectTypeOf<wire.BedrockError["message"]>().toExtend<BedrockRuntimeServiceException["message"]>();
});
