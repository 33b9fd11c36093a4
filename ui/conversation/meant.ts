// Which row a key means. The one that has the focus and no other; without a focus the last one, whatever it is: a key never
// reaches past a failure or an answer on its way to change what stands before it. Pure.
import type { Row } from "./rows.ts";

/** What is to be answered anew by a key: an answer, or the message that there is no answer to. */
export function regeneratedBy(rows: readonly Row[], focused: Row | undefined): string | undefined {
  const row = focused ?? rows.at(-1);
  if (row?.kind === "failure") return row.after;
  return row?.kind === "message" && row.role === "assistant" ? row.ids[0] : undefined;
}

/** Whose words are edited: opening an editor changes nothing, so that without a focus it is the last question. */
export function editedBy(rows: readonly Row[], focused: Row | undefined): string | undefined {
  const row = focused ?? rows.findLast(({ role }) => role === "user");
  return row?.kind === "message" && row.role === "user" ? row.ids[0] : undefined;
}

export function copiedBy(rows: readonly Row[], focused: Row | undefined): string | undefined {
  const row = focused ?? rows.at(-1);
  return row?.kind === "message" ? row.ids[0] : undefined;
}
