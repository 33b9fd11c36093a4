// The names under which provider data stands in `extra`, and where parts stand in a message.

export const FLAT = "flat";
export const ANTHROPIC = "anthropic";
export const GEMINI = "gemini";

/** Wire key ⇄ dialect, where they differ; every other key is the dialect's own name. */
const KEYS = [["claude", ANTHROPIC]] as const;

/** The dialect that a key of `extra` speaks for; undefined where it would come back under another key. */
export function dialectOfKey(key: string): string | undefined {
  return counterpart(key, 0, 1);
}

/** The key of `extra` for a dialect's data; undefined where it would come back as another dialect. */
export function keyOfDialect(dialect: string): string | undefined {
  return counterpart(dialect, 1, 0);
}

function counterpart(word: string, from: 0 | 1, to: 0 | 1): string | undefined {
  const pair = KEYS.find((each) => each[from] === word);
  if (pair !== undefined) return pair[to];
  return word === FLAT || KEYS.some((each) => each[to] === word) ? undefined : word;
}

/** The fields of a message that hold its parts, in the order in which they are read. */
export const SLOTS = ["reasoning", "content", "refusal", "tool_calls"] as const;
export type Slot = (typeof SLOTS)[number];

/** Where an opaque part stood: a slot, or Claude's thinking blocks. Noted as form where it is not the content. */
export const THINKING_BLOCKS = "thinking_blocks";
