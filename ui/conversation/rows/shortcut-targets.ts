// Finds the message to which a keyboard shortcut applies with pure functions: the message of the focused row, or of the
// last row if no row has the focus. If the last row is a failure or a live answer, no earlier row is used in its place.
import type { ConversationRow } from "./build-rows.ts";

/**
 * Returns the id of the answer to regenerate, or, for a failure row, of the message whose answer failed; undefined for
 * other rows.
 */
export function findRegenerateTarget(
  rows: readonly ConversationRow[],
  focused: ConversationRow | undefined,
): string | undefined {
  const row = focused ?? rows.at(-1);
  if (row?.kind === "failure") return row.answeredId;
  return row?.kind === "message" && row.role === "assistant" ? row.ids[0] : undefined;
}

/**
 * Returns the id of the user message to edit; undefined if the focused row is not a user message. If no row has the
 * focus, returns the last user message, even if other rows follow it, because opening an editor is harmless.
 */
export function findEditTarget(
  rows: readonly ConversationRow[],
  focused: ConversationRow | undefined,
): string | undefined {
  const row = focused ?? rows.findLast(({ role }) => role === "user");
  return row?.kind === "message" && row.role === "user" ? row.ids[0] : undefined;
}

export function findCopyTarget(
  rows: readonly ConversationRow[],
  focused: ConversationRow | undefined,
): string | undefined {
  const row = focused ?? rows.at(-1);
  return row?.kind === "message" ? row.ids[0] : undefined;
}
