// The message that a keyboard shortcut applies to: the focused row, else the last row. A shortcut never skips a failure
// or a live answer at the end. Pure.
import type { ConversationRow } from "./build-rows.ts";

/** Returns the message to regenerate: an answer, or the message whose answer failed. */
export function findRegenerateTarget(
  rows: readonly ConversationRow[],
  focused: ConversationRow | undefined,
): string | undefined {
  const row = focused ?? rows.at(-1);
  if (row?.kind === "failure") return row.answeredId;
  return row?.kind === "message" && row.role === "assistant" ? row.ids[0] : undefined;
}

/** Returns the message to edit. Without focus this is the last user message; opening an editor changes nothing. */
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
