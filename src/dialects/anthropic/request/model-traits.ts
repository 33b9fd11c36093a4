// Defines patterns for Anthropic models with certain traits; the patterns match the model names of all hosts.

/** Models that accept a thinking budget instead of an effort: all models with thinking before Claude 4.6. */
export const BUDGET_MODELS = /claude-(?:3[-.]7|[a-z]+-4(?:[-.][0-5])?(?![-.]\d{1,2}\b|\d))/;
/** Models without thinking. */
export const MODELS_WITHOUT_THINKING = /claude-(?:[12]\b|instant|3[-.]5|3-[a-z])/;
/** The only model in BUDGET_MODELS that also accepts an effort. */
export const BUDGET_MODEL_WITH_EFFORT = /claude-opus-4[-.]5/;
/** Models that reject `temperature` together with `top_p`: all from Claude 4.1 on. */
export const SINGLE_SAMPLER_MODELS = /claude-[a-z]+-(?:4[-.][1-9]\b|[5-9])/;
/** Models that reject a request whose last message is an assistant message (B36). */
export const MODELS_WITHOUT_PREFILL = /claude-[a-z]+-(?:4[-.][6-9]|[5-9])/;

/**
 * The thinking budget, in tokens, for each effort. The budgets leave room for an answer within the output limit of
 * every model in BUDGET_MODELS.
 */
export const EFFORT_BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};
