// Defines the dialect `openai-chat`: OpenAI's Chat Completions API, also as compatible vendors serve it.
import { defineDialect } from "../define.ts";
import { decodeOpenAiError, encodeOpenAiError } from "../openai/errors.ts";
import { CHAT_LOSSES } from "./losses.ts";
import { detectKind } from "./detect-kind.ts";
import { decodeMessages, decodeRequest, encodeMessages, encodeRequest } from "./request/request.ts";
import { decodeResponse, encodeResponse } from "./response/response.ts";
import { createChunkDecoder } from "./stream/decode-stream.ts";
import { createChunkEncoder } from "./stream/encode-stream.ts";

export type {
  ChatAssistantMessage,
  ChatAudioInput,
  ChatChoice,
  ChatCitation,
  ChatContentPart,
  ChatCustomCall,
  ChatCustomTool,
  ChatDeveloperMessage,
  ChatError,
  ChatFile,
  ChatFunctionCall,
  ChatFunctionTool,
  ChatGrammar,
  ChatImage,
  ChatJsonSchema,
  ChatLogprob,
  ChatMessage,
  ChatNamedTool,
  ChatRefusal,
  ChatReplyMessage,
  ChatRequest,
  ChatResponse,
  ChatResponseFormat,
  ChatSystemMessage,
  ChatText,
  ChatTool,
  ChatToolCall,
  ChatToolChoice,
  ChatToolMessage,
  ChatTopLogprob,
  ChatUsage,
  ChatUserMessage,
} from "./types.ts";

/** Creates the dialect of OpenAI's Chat Completions API; `vendor` selects the rules of a compatible server. */
export const openaiChat = defineDialect({
  id: "openai-chat",
  title: "OpenAI Chat Completions",
  losses: CHAT_LOSSES,
  detectKind,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  streams: { decoder: createChunkDecoder, encoder: createChunkEncoder },
  errors: { decode: (wire, _, status) => decodeOpenAiError(wire, status), encode: encodeOpenAiError },
});
