// Names the canonical token counts that both Chat and Responses have.
export type OpenAiUsageCount =
  | "inputTokens"
  | "outputTokens"
  | "totalTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "reasoningTokens";
