// The words of the flat shape: where parts stand in a message, and what vouches for them.

export const FLAT = "flat";
export const ANTHROPIC = "anthropic";
export const GEMINI = "gemini";

/** The fields of a message that hold its parts, in the order in which they are read. */
export const SLOTS = ["reasoning", "content", "refusal", "tool_calls"] as const;
export type Slot = (typeof SLOTS)[number];

export const THINKING_BLOCKS = "thinking_blocks";

/** Lists that become seals, by the provider's name in `extra`; `stale` says where one is kept that vouches for nothing. */
export const SEALING = [
  { key: "claude", field: THINKING_BLOCKS, stale: "thinking-blocks-stale" },
  { key: "gemini", field: "thought_signatures", stale: "thought-signatures-stale" },
] as const;
