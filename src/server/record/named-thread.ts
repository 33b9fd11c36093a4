// The history of a call within a thread that the client names: how much of it stands on the thread's active path, and
// what the client dropped of that.
import { historyOf } from "../../ledger/identity/history.ts";
import type { Turn } from "../../ledger/identity/history.ts";
import { compareMedia } from "../../ledger/identity/media.ts";
import { restoreHistory } from "../../ledger/identity/restore.ts";
import type { Message, StoredMessage } from "../../model/index.ts";

/** Where a history ends in a thread. */
export interface Found {
  /** null: nothing of it is there. */
  parentMessageId: string | null;
  /** How many of the given messages are known. */
  known: number;
  messages: readonly Message[];
}

/** Compares turn by turn: a turn is known as a whole, or not at all. */
export function findOnPath(path: readonly StoredMessage[], given: readonly Message[]): Found {
  const stored = historyOf(path);
  const history = historyOf(given);
  const byTurn = new Map<Turn, StoredMessage[]>();
  let parent: StoredMessage | undefined;
  let known = 0;
  for (const [index, turn] of history.turns.entries()) {
    const same = stored.turns[index];
    if (same?.digest !== turn.digest) break;
    const messages = path.slice(same.from, same.to);
    const likeness = turn.role === "assistant" ? compareMedia(given.slice(turn.from, turn.to), messages) : "same";
    // Another picture is an edit.
    if (likeness === "other") break;
    if (turn.role === "assistant" && likeness === "same") byTurn.set(turn, messages);
    parent = messages.at(-1);
    known = turn.to;
  }
  const answers = { at: known, byTurn, between: new Map() };
  return { parentMessageId: parent?.id ?? null, known, messages: restoreHistory(history, answers) };
}
