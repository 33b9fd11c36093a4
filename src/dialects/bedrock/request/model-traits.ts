// Traits of models, by their Bedrock ids; an ARN may not contain the model's name.

/** Models that sign their reasoning and accept Anthropic's settings. */
export const CLAUDE_MODELS = /claude/;
/** Models that are known not to accept Anthropic's settings. */
export const NON_ANTHROPIC_MODELS =
  /(?:^|[./])(?:amazon|meta|mistral|deepseek|openai|qwen|cohere|ai21|writer|google|nvidia|moonshotai?|minimax|zai|twelvelabs|luma|stability)\./;
/** Models that do not continue a final assistant message, and reject the request (B36). */
export const MODELS_WITHOUT_PREFILL = /claude-[a-z]+-(?:4[-.][6-9]|[5-9])/;
