// What is known of models, by their names on any host.

/** They think within a budget, not as hard as they are told: all before Claude 4.6. */
export const BUDGETED = /claude-(?:3[-.]7|[a-z]+-4(?:[-.][0-5])?(?![-.]\d{1,2}\b|\d))/;
/** They do not think before they answer. */
export const THOUGHTLESS = /claude-(?:[12]\b|instant|3[-.]5|3-[a-z])/;
/** The one of those with a budget that takes an effort, too. */
export const TAKES_EFFORT = /claude-opus-4[-.]5/;
/** They refuse temperature and top_p together: all from Claude 4.1 on. */
export const ONE_SAMPLER = /claude-[a-z]+-(?:4[-.][1-9]\b|[5-9])/;
/** They answer after a final assistant message instead of continuing it, and refuse the request (B36). */
export const CONTINUES_NOTHING = /claude-[a-z]+-(?:4[-.][6-9]|[5-9])/;

/** What an effort is worth in tokens, so that the answer still fits in what the smallest of them can say. */
export const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};
