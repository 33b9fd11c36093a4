// Declares names of the flat dialect: ids of dialects, the message fields that contain parts, and the lists of seals.

export const FLAT = "flat";
export const ANTHROPIC = "anthropic";
export const GEMINI = "gemini";

/** The fields of a message that contain its parts, in the order in which they are decoded. */
export const PART_FIELDS = ["reasoning", "content", "refusal", "tool_calls"] as const;
export type FlatPartField = (typeof PART_FIELDS)[number];

export const THINKING_BLOCKS = "thinking_blocks";

/**
 * The lists in `extra` whose entries become seals: `key` is the provider's name in `extra`, `field` is the name of the
 * list. `stale` is both the residue key and the loss code of entries that belong to no part.
 */
export const SEAL_LISTS = [
  { key: "claude", field: THINKING_BLOCKS, stale: "thinking-blocks-stale" },
  { key: "gemini", field: "thought_signatures", stale: "thought-signatures-stale" },
] as const;
