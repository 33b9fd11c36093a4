// The history of a call within a thread that the client names, where no answer in it is known there: how much of its
// beginning stands on the thread's active path.
import { historyOf } from "../../ledger/identity/history.ts";
import type { Message, StoredMessage } from "../../model/index.ts";

/** Where a history ends in a thread. */
export interface Found {
  /** null: nothing of it is there. */
  parentMessageId: string | null;
  /** How many of the given messages are known. */
  known: number;
}

/** Compares turn by turn, up to the first answer: a turn is known as a whole, or not at all. */
export function findOnPath(path: readonly StoredMessage[], given: readonly Message[]): Found {
  const stored = historyOf(path);
  let found: Found = { parentMessageId: null, known: 0 };
  for (const [index, { digest, role, to }] of historyOf(given).turns.entries()) {
    const same = stored.turns[index];
    if (same?.digest !== digest || role === "assistant") break;
    found = { parentMessageId: path[same.to - 1]?.id ?? null, known: to };
  }
  return found;
}
