// Lists the dialects of HTTP providers. It is separate from the registry of all dialects, so that a client in a browser
// loads only these dialects.
import { anthropic } from "../../dialects/anthropic/index.ts";
import { bedrock } from "../../dialects/bedrock/index.ts";
import type { DialectFactory } from "../../dialects/dialect.ts";
import { gemini } from "../../dialects/gemini/index.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { openaiResponses } from "../../dialects/openai-responses/index.ts";
import type { HttpDialect } from "../types.ts";

export const HTTP_DIALECT_FACTORIES: Readonly<Record<HttpDialect, DialectFactory>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  bedrock,
};
