// Matches the start of a history with the active path of a thread that the client names. Used if no answer of the
// history is known in that thread.
import { toHistory } from "../../ledger/identity/history-turns.ts";
import type { Message, StoredMessage } from "../../model/index.ts";

/** The last matching message, and the number of matching messages. */
export interface PathMatch {
  /** null: no message matches. */
  parentMessageId: string | null;
  /** The number of messages of the history that are stored already. */
  known: number;
}

/** Compares turn by turn up to the first answer; a turn matches completely or not at all. */
export function matchActivePath(path: readonly StoredMessage[], messages: readonly Message[]): PathMatch {
  const stored = toHistory(path);
  let match: PathMatch = { parentMessageId: null, known: 0 };
  for (const [index, { digest, role, to }] of toHistory(messages).turns.entries()) {
    const same = stored.turns[index];
    if (same?.digest !== digest || role === "assistant") break;
    match = { parentMessageId: path[same.to - 1]?.id ?? null, known: to };
  }
  return match;
}
