// Defines the wire type of each kind of payload in each dialect, so that `translate` returns a typed `wire`.
import type { ModelMessage } from "./ai-sdk-model/types.ts";
import type { UiMessage } from "./ai-sdk-ui/types.ts";
import type { AnthropicError, AnthropicMessage, AnthropicRequest, AnthropicResponse } from "./anthropic/types.ts";
import type { BedrockError, BedrockMessage, BedrockRequest, BedrockResponse } from "./bedrock/types.ts";
import type { WireEvent } from "./dialect.ts";
import type { FlatMessage } from "./flat/types.ts";
import type { GeminiError, GeminiRequest, GeminiResponse } from "./gemini/types.ts";
import type { ChatError, ChatMessage, ChatRequest, ChatResponse } from "./openai-chat/types.ts";
import type { ResponsesErrorBody, ResponsesRequest, ResponsesResponse } from "./openai-responses/types.ts";
import type { DialectId } from "./registry.ts";
import type { RunMessage } from "./run/types.ts";
import type { TaggedMessage } from "./tagged/types.ts";
import type { StoredMessage } from "../model/message.ts";

/** A kind of payload that `translate` accepts. */
export type TranslateKind = "request" | "response" | "stream" | "error" | "messages";

/** The wire types of the bodies of one provider's API, by kind of payload. */
interface ApiBodies<Request, Response, ErrorBody, Messages> {
  request: Request;
  response: Response;
  error: ErrorBody;
  messages: Messages;
}

interface BodyTypes {
  "openai-chat": ApiBodies<ChatRequest, ChatResponse, ChatError, ChatMessage[]>;
  "openai-responses": ApiBodies<
    ResponsesRequest,
    ResponsesResponse,
    ResponsesErrorBody,
    Pick<ResponsesRequest, "instructions" | "input">
  >;
  anthropic: ApiBodies<
    AnthropicRequest,
    AnthropicResponse,
    AnthropicError,
    AnthropicMessage[] | (Pick<AnthropicRequest, "system"> & { messages: AnthropicMessage[] })
  >;
  gemini: ApiBodies<GeminiRequest, GeminiResponse, GeminiError, Pick<GeminiRequest, "systemInstruction" | "contents">>;
  bedrock: ApiBodies<
    BedrockRequest,
    BedrockResponse,
    BedrockError,
    BedrockMessage[] | (Pick<BedrockRequest, "system"> & { messages: BedrockMessage[] })
  >;
  "ai-sdk-ui": { messages: UiMessage[] };
  "ai-sdk-model": { messages: ModelMessage[] };
  flat: { messages: FlatMessage[] };
  tagged: { messages: TaggedMessage[] };
  run: { messages: RunMessage[] };
  canonical: { messages: StoredMessage[] };
}

/**
 * The wire type of a payload in a dialect; `unknown` if the type arguments do not determine the dialect or the kind.
 */
export type WireOf<To, Kind> = [Kind] extends ["stream"]
  ? WireEvent[]
  : To extends DialectId
    ? Kind extends keyof BodyTypes[To]
      ? BodyTypes[To][Kind]
      : unknown
    : unknown;
