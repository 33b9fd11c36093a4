// What is known of models, by their ids; an ARN may hide one.

/** Models that sign what they think, and take settings that are Anthropic's own. */
export const CLAUDE = /claude/;
/** Models that are known to be other ones. */
export const OTHERS =
  /(?:^|[./])(?:amazon|meta|mistral|deepseek|openai|qwen|cohere|ai21|writer|google|nvidia|moonshotai?|minimax|zai|twelvelabs|luma|stability)\./;
/** They answer after a final assistant message instead of continuing it, and refuse the request (B36). */
export const CONTINUES_NOTHING = /claude-[a-z]+-(?:4[-.][6-9]|[5-9])/;
