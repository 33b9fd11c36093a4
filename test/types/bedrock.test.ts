// What the encoders write for canonical values is what the official SDK takes and gives. The compiler checks it; at run
// time the assertions only have to run.
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

/** The wire has bytes in base64, the SDK as an array; everything else is the same. */
type Bytes<T> = T extends readonly (infer E)[]
  ? Bytes<E>[]
  : T extends object
    ? { [K in keyof T]: K extends "bytes" | "redactedContent" ? Uint8Array : Bytes<T[K]> }
    : T;
/** The SDK wants to know the model; the wire has it in the URL. */
type Asked = Bytes<wire.BedrockRequest> & { modelId: string };

test("requests are what the SDK takes", () => {
  expectTypeOf<Asked>().toExtend<ConverseRequest>();
});

test("turns, blocks and tools are what the SDK takes", () => {
  expectTypeOf<Bytes<wire.BedrockMessage>>().toExtend<Message>();
  expectTypeOf<Bytes<wire.ContentBlock>>().toExtend<ContentBlock>();
  expectTypeOf<wire.ToolSpec>().toExtend<Tool>();
  expectTypeOf<wire.ToolChoice>().toExtend<ToolChoice>();
});

test("answers, events and errors are what the SDK gives", () => {
  type Told = Bytes<wire.BedrockResponse> & { metrics: undefined };
  expectTypeOf<Told>().toExtend<ConverseResponse>();
  expectTypeOf<wire.BedrockUsage>().toExtend<TokenUsage>();
  expectTypeOf<wire.StopReason>().toEqualTypeOf<StopReason>();
  type Metadata = { metadata: { usage: wire.BedrockUsage; metrics: undefined } };
  type Events = Exclude<wire.BedrockEvent, { metadata: unknown }> | Metadata;
  expectTypeOf<Bytes<Events>>().toExtend<ConverseStreamOutput>();
  expectTypeOf<wire.BedrockError["message"]>().toExtend<BedrockRuntimeServiceException["message"]>();
});
