// Defines the dialect `openai-responses`: OpenAI's Responses API.
import { defineDialect } from "../define.ts";
import { decodeOpenAiError, encodeOpenAiError } from "../openai/errors.ts";
import { decodeMessages } from "./items/decode-items.ts";
import { encodeMessages } from "./items/encode-items.ts";
import { RESPONSES_LOSSES } from "./losses.ts";
import { detectKind } from "./detect-kind.ts";
import { decodeRequest, encodeRequest } from "./request/request.ts";
import { decodeResponse, encodeResponse } from "./response/response.ts";
import { createStreamDecoder } from "./stream/decode-stream.ts";
import { createStreamEncoder } from "./stream/encode-stream.ts";

export type {
  AssistantMessage,
  CustomCallItem,
  CustomOutputItem,
  CustomToolParam,
  FunctionCallItem,
  FunctionOutputItem,
  FunctionToolParam,
  Grammar,
  InputAudio,
  InputBlock,
  InputFile,
  InputImage,
  InputItem,
  InputMessage,
  InputText,
  NamedTool,
  OutputItem,
  OutputLogprob,
  OutputMessage,
  OutputText,
  ReasoningItem,
  Refusal,
  ResponsesErrorBody,
  ResponsesRequest,
  ResponsesResponse,
  ResponsesUsage,
  TextFormat,
  ToolChoiceParam,
  UrlCitation,
} from "./types.ts";

/** The dialect of OpenAI's Responses API. */
export const openaiResponses = defineDialect({
  id: "openai-responses",
  title: "OpenAI Responses",
  losses: RESPONSES_LOSSES,
  detectKind,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  errors: { decode: (wire, _context, status) => decodeOpenAiError(wire, status), encode: encodeOpenAiError },
  streams: { decoder: createStreamDecoder, encoder: createStreamEncoder },
});
