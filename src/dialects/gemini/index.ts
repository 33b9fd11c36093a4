// Defines the Gemini dialect.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./request/decode-messages.ts";
import { encodeMessages } from "./request/encode-history.ts";
import { decodeError, encodeError } from "./response/errors.ts";
import { GEMINI_LOSSES } from "./losses.ts";
import { detectKind } from "./detect-kind.ts";
import { decodeRequest, encodeRequest } from "./request/request.ts";
import { decodeResponse, encodeResponse } from "./response/response.ts";
import { createStreamDecoder } from "./stream/decode-stream.ts";
import { createStreamEncoder } from "./stream/encode-stream.ts";

export type {
  GeminiBlob,
  GeminiCandidate,
  GeminiCitation,
  GeminiCitations,
  GeminiContent,
  GeminiError,
  GeminiFileData,
  GeminiFunctionCall,
  GeminiFunctionDeclaration,
  GeminiFunctionResponse,
  GeminiGenerationConfig,
  GeminiGrounding,
  GeminiLogprob,
  GeminiLogprobs,
  GeminiMediaPart,
  GeminiPart,
  GeminiRequest,
  GeminiResponse,
  GeminiSource,
  GeminiThinkingConfig,
  GeminiTool,
  GeminiToolConfig,
  GeminiUsage,
} from "./types.ts";

/** The dialect of Gemini's `generateContent` and `streamGenerateContent`. */
export const gemini = defineDialect({
  id: "gemini",
  title: "Gemini generateContent",
  losses: GEMINI_LOSSES,
  detectKind,
  messages: {
    decode: decodeMessages,
    encode: encodeMessages,
  },
  requests: {
    decode: decodeRequest,
    encode: encodeRequest,
  },
  responses: {
    decode: decodeResponse,
    encode: encodeResponse,
  },
  errors: {
    decode: (wire, _, status) => decodeError(wire, status),
    encode: (error) => encodeError(error),
  },
  streams: {
    decoder: createStreamDecoder,
    encoder: createStreamEncoder,
  },
});
