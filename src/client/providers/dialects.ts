// The dialects that are spoken over HTTP, one line each. Not the registry of all: a client in a browser should load no
// more than it can speak.
import { anthropic } from "../../dialects/anthropic/index.ts";
import { bedrock } from "../../dialects/bedrock/index.ts";
import type { DialectFactory } from "../../dialects/dialect.ts";
import { gemini } from "../../dialects/gemini/index.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { openaiResponses } from "../../dialects/openai-responses/index.ts";
import type { HttpDialect } from "../types.ts";

export const DIALECTS: Readonly<Record<HttpDialect, DialectFactory>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  bedrock,
};
