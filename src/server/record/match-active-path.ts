// Matches the start of a history with the active path of a thread whose id the client sent. Used if the thread contains
// no answer of the history.
import { toHistory } from "../../ledger/identity/history-turns.ts";
import type { Message, StoredMessage } from "../../model/index.ts";

/** The messages of a history that match the active path. */
export interface PathMatch {
  /** The id of the last stored message that matches; null if no message matches. */
  parentMessageId: string | null;
  /** The number of messages of the history that are already stored. */
  known: number;
}

/**
 * Compares the history with the path turn by turn, up to the first turn that differs or is an answer. A turn matches
 * completely or not at all.
 */
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
