// The token counts that Chat and Responses both have.
export type OpenAiUsageCount =
  | "inputTokens"
  | "outputTokens"
  | "totalTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "reasoningTokens";
