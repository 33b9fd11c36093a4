// Extends the match of a client's history beyond the last answer that is stored: a client that retries a request sends
// the user's message or the tool results again, and they must not be stored twice.
import type { MessageHeader } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { runAsync, type Steps } from "../store/steps.ts";
import type { LedgerReads, ThreadKey } from "../store/contract.ts";
import { readTurnsAbove } from "./read-turns.ts";
import { listEndsWithin, type TurnHistory, toHistory, type IdentityTurn } from "./history-turns.ts";
import { readDigestOrEmpty, isKnownTurnEnd, isDigest, isBlankMarker } from "./digest-markers.ts";
import { type HistoryMatch, choosePreferred } from "./match-history.ts";
import { isBlank, toTurnRole } from "./normal-form.ts";

/**
 * The maximum number of headers that are read of the newest messages after the match, and the same number of the oldest
 * ones. The store has no index by parent, so the messages that continue the match are searched among these headers.
 */
const MAX_ROWS = 256;
/** The maximum number of stored messages, on all branches together, that are compared with one turn of the history. */
const MAX_BRANCHES = 64;

/**
 * Returns the match, moved to the last position up to which the stored messages below it equal the client's history.
 */
export async function extendMatch(
  scope: LedgerScope,
  history: TurnHistory,
  match: HistoryMatch,
  { accepts, after }: { accepts: (match: HistoryMatch) => Promise<boolean>; after: MessageHeader[] | undefined },
): Promise<HistoryMatch> {
  const { tenant, threadId, id } = match.header;
  const turns = history.turns.filter(({ to }) => to > match.at);
  if (turns.length === 0) return match;
  const key = { tenant, threadId };
  const rows = after ?? (await readHeadersAfter(scope.store.reads, key, id));
  if (rows.length === 0) return match;
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  let known = { at: match.at, headers: [match.header] };
  for (const turn of turns) {
    const stored = await findStoredTurn(scope.store.reads, key, known.headers, turn, children);
    const next = await findLongestEnd(history, turn, known.at, stored, accepts);
    if (next === undefined) break;
    known = next;
    if (known.at < turn.to) break;
  }
  const newestFirst = known.headers.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { at: known.at, header: (await choosePreferred(scope, newestFirst)) ?? match.header };
}

async function readHeadersAfter(reads: LedgerReads, key: ThreadKey, after: string): Promise<MessageHeader[]> {
  const newest = await reads.headers(key, { after, order: "desc", limit: MAX_ROWS });
  if (newest.length < MAX_ROWS) return newest;
  const oldest = await reads.headers(key, { after, limit: MAX_ROWS });
  const seen = new Set(newest.map(({ id }) => id));
  return [...newest, ...oldest.filter(({ id }) => !seen.has(id))];
}

interface StoredTurnEnd {
  header: MessageHeader;
  digest: string;
  /** The number of consecutive blank messages that end with this message; 0 if the message is not blank. */
  blankCount: number;
}

/**
 * Returns the stored messages below the headers that may belong to the given turn, with their digests: messages that
 * have the turn's role or are blank, and that only such messages separate from one of the headers.
 */
async function findStoredTurn(
  reads: LedgerReads,
  key: ThreadKey,
  headers: readonly MessageHeader[],
  { role, previous }: IdentityTurn,
  children: ReadonlyMap<string | null, MessageHeader[]>,
): Promise<StoredTurnEnd[]> {
  const stored: StoredTurnEnd[] = [];
  const pending: StoredTurnEnd[] = headers.map((header) => ({ header, digest: previous, blankCount: 0 }));
  for (const above of pending) {
    for (const header of children.get(above.header.id) ?? []) {
      const isBlankRow = isBlankMarker(header.digest);
      if ((!isBlankRow && toTurnRole(header.role) !== role) || stored.length === MAX_BRANCHES) continue;
      const next = isBlankRow
        ? { header, digest: above.digest, blankCount: above.blankCount + 1 }
        : { header, digest: await runAsync(readOrComputeDigest(reads, key, header)), blankCount: 0 };
      stored.push(next);
      pending.push(next);
    }
  }
  return stored;
}

/** Returns the digest of a message; computes the digest from the stored turns if it was deferred. */
function* readOrComputeDigest(reads: LedgerReads, key: ThreadKey, header: MessageHeader): Steps<string> {
  if (isDigest(header.digest)) return header.digest;
  const { messages, end } = yield* readTurnsAbove(reads, key, header.id, isKnownTurnEnd);
  return toHistory(messages, readDigestOrEmpty(end)).turns.at(-1)?.digest ?? "";
}

/**
 * Returns the last position in the client's turn up to which a stored conversation equals the history, and the stored
 * messages with which these conversations end; undefined if no message of the turn is stored.
 */
async function findLongestEnd(
  history: TurnHistory,
  turn: IdentityTurn,
  after: number,
  stored: readonly StoredTurnEnd[],
  accepts: (match: HistoryMatch) => Promise<boolean>,
): Promise<{ at: number; headers: MessageHeader[] } | undefined> {
  if (stored.length === 0) return undefined;
  const from = Math.max(after, turn.from);
  for (const position of [{ at: turn.to, digest: turn.digest }, ...listEndsWithin(history, turn, from)]) {
    // Blank messages at the end of a turn do not change the digest, so they are counted: at least as many blank
    // messages must be stored as the client sent. In an assistant turn they are not compared.
    const blankCount = turn.role === "assistant" ? 0 : countBlankBefore(history, position.at);
    const headers: MessageHeader[] = [];
    for (const each of stored) {
      if (each.digest !== position.digest || each.blankCount < blankCount) continue;
      if (await accepts({ at: position.at, header: each.header })) headers.push(each.header);
    }
    if (headers.length > 0) return { at: position.at, headers };
  }
  return undefined;
}

/** Returns the number of consecutive blank messages directly before a position. */
function countBlankBefore({ messages }: TurnHistory, at: number): number {
  let count = 0;
  for (let before = messages[at - 1]; before !== undefined && isBlank(before); before = messages[at - 1 - count]) {
    count++;
  }
  return count;
}
