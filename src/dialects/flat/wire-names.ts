// Field names of the flat shape: the fields that hold parts, and the lists that hold seals.

export const FLAT = "flat";
export const ANTHROPIC = "anthropic";
export const GEMINI = "gemini";

/** The fields of a message that hold its parts, in decoding order. */
export const SLOTS = ["reasoning", "content", "refusal", "tool_calls"] as const;
export type FlatSlot = (typeof SLOTS)[number];

export const THINKING_BLOCKS = "thinking_blocks";

/** Lists that become seals, by the provider's name in `extra`; `stale` is the residue key and loss code of a list that fits no part. */
export const SEAL_LISTS = [
  { key: "claude", field: THINKING_BLOCKS, stale: "thinking-blocks-stale" },
  { key: "gemini", field: "thought_signatures", stale: "thought-signatures-stale" },
] as const;
