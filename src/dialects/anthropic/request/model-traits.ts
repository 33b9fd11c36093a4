// Traits of Anthropic models, by their names on any host.

/** Models that accept a thinking budget and no effort: all before Claude 4.6. */
export const BUDGET_MODELS = /claude-(?:3[-.]7|[a-z]+-4(?:[-.][0-5])?(?![-.]\d{1,2}\b|\d))/;
/** Models without thinking. */
export const MODELS_WITHOUT_THINKING = /claude-(?:[12]\b|instant|3[-.]5|3-[a-z])/;
/** The only budget model that also accepts an effort. */
export const BUDGET_MODEL_WITH_EFFORT = /claude-opus-4[-.]5/;
/** Models that reject `temperature` together with `top_p`: all from Claude 4.1 on. */
export const SINGLE_SAMPLER_MODELS = /claude-[a-z]+-(?:4[-.][1-9]\b|[5-9])/;
/** Models that do not continue a final assistant message, and reject the request (B36). */
export const MODELS_WITHOUT_PREFILL = /claude-[a-z]+-(?:4[-.][6-9]|[5-9])/;

/** Thinking budget in tokens for each effort; the answer still fits in the output limit of the smallest budget model. */
export const EFFORT_BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};
