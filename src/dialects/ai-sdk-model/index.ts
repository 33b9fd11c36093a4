// Defines the dialect of the AI SDK's model messages and of the full stream of `streamText`.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { MODEL_MESSAGE_LOSSES } from "./losses.ts";
import { detectKind } from "./detect-kind.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { createStreamEncoder } from "./encode-stream.ts";

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

/** The dialect of the AI SDK's model messages and of the full stream of `streamText`. */
export const aiSdkModel = defineDialect({
  id: "ai-sdk-model",
  title: "AI SDK model messages",
  losses: MODEL_MESSAGE_LOSSES,
  detectKind,
  messages: { decode: decodeMessages, encode: encodeMessages },
  streams: { decoder: createStreamDecoder, encoder: createStreamEncoder },
});
