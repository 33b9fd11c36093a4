// The official SDKs that read encoded streams in tests, by dialect.
import { anthropicJudge } from "./anthropic.ts";
import { geminiJudge } from "./gemini.ts";
import { openaiChatJudge } from "./openai-chat.ts";
import { openaiResponsesJudge } from "./openai-responses.ts";
import type { Judge } from "./sdk-result.ts";

export const JUDGES = {
  "openai-chat": openaiChatJudge,
  "openai-responses": openaiResponsesJudge,
  anthropic: anthropicJudge,
  gemini: geminiJudge,
} as const satisfies Record<string, Judge>;

export type JudgedDialect = keyof typeof JUDGES;
