// Detects traits of models from their Bedrock ids. No trait is detected from an ARN that does not contain the model's
// name.

/**
 * Matches ids of Claude models, which sign their reasoning, reject unsigned reasoning and accept Anthropic's settings.
 */
export const CLAUDE_MODELS = /claude/;
/** Matches ids of models of vendors other than Anthropic, which do not accept Anthropic's settings. */
export const NON_ANTHROPIC_MODELS =
  /(?:^|[./])(?:amazon|meta|mistral|deepseek|openai|qwen|cohere|ai21|writer|google|nvidia|moonshotai?|minimax|zai|twelvelabs|luma|stability)\./;
/** Matches ids of models that reject a request whose last message is an assistant message (B36). */
export const MODELS_WITHOUT_PREFILL = /claude-[a-z]+-(?:4[-.][6-9]|[5-9])/;
