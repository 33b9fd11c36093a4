// The AI SDK's model messages, and the full stream that its `streamText` gives.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";

export type {
  ModelAssistantMessage,
  ModelContentFile,
  ModelContentUrl,
  ModelFile,
  ModelFileData,
  ModelMessage,
  ModelReasoning,
  ModelSystemMessage,
  ModelText,
  ModelToolCall,
  ModelToolMessage,
  ModelToolOutput,
  ModelToolResult,
  ModelUserMessage,
} from "./types.ts";

export const aiSdkModel = defineDialect({
  id: "ai-sdk-model",
  title: "AI SDK model messages",
  losses: LOSSES,
  detectKind: recognise,
  messages: { decode: decodeMessages, encode: encodeMessages },
  streams: { decoder: streamDecoder, encoder: streamEncoder },
});
