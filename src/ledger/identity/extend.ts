// From a known answer on: what else of a history is stored already. A client that tries again sends the user's message
// or the tool results a second time, and they are not to be written twice.
import type { MessageHeader } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { runLater, type Steps } from "../steps.ts";
import type { LedgerReads, ThreadKey } from "../store.ts";
import { turnsAbove } from "../turns.ts";
import { endsWithin, type History, historyOf, type Turn } from "./history.ts";
import { digestAt, endsAbove, isDigest, isSilentMark } from "./marks.ts";
import { type Match, preferred } from "./match.ts";
import { isSilent, voiceOf } from "./normal-form.ts";

/** So many of the thread's messages are looked at, from either end of what follows the match: parents have no index. */
const LOOKED_AT = 256;
/** The most branches that are followed through one turn. */
const FOLLOWED = 64;

/** The match, as far as the history can be followed from there. */
export async function extendMatch(
  scope: Scope,
  history: History,
  match: Match,
  { accepts, after }: { accepts: (match: Match) => Promise<boolean>; after: MessageHeader[] | undefined },
): Promise<Match> {
  const { tenant, threadId, id } = match.header;
  const turns = history.turns.filter(({ to }) => to > match.at);
  if (turns.length === 0) return match;
  const key = { tenant, threadId };
  const rows = after ?? (await rowsAfter(scope.store.reads, key, id));
  if (rows.length === 0) return match;
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  let known = { at: match.at, headers: [match.header] };
  for (const turn of turns) {
    const stored = await storedTurn(scope.store.reads, key, known.headers, turn, children);
    const next = await longestEnd(history, turn, known.at, stored, accepts);
    if (next === undefined) break;
    known = next;
    if (known.at < turn.to) break;
  }
  const newestFirst = known.headers.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { at: known.at, header: (await preferred(scope, newestFirst)) ?? match.header };
}

async function rowsAfter(reads: LedgerReads, key: ThreadKey, after: string): Promise<MessageHeader[]> {
  const newest = await reads.headers(key, { after, order: "down", limit: LOOKED_AT });
  if (newest.length < LOOKED_AT) return newest;
  const oldest = await reads.headers(key, { after, limit: LOOKED_AT });
  const seen = new Set(newest.map(({ id }) => id));
  return [...newest, ...oldest.filter(({ id }) => !seen.has(id))];
}

interface Stored {
  header: MessageHeader;
  digest: string;
  /** How many messages that say nothing it ends with. */
  silent: number;
}

/** The messages of a turn's voice that follow each other under any of the headers, with their digests. */
async function storedTurn(
  reads: LedgerReads,
  key: ThreadKey,
  headers: readonly MessageHeader[],
  { role, previous }: Turn,
  children: ReadonlyMap<string | null, MessageHeader[]>,
): Promise<Stored[]> {
  const stored: Stored[] = [];
  const open: Stored[] = headers.map((header) => ({ header, digest: previous, silent: 0 }));
  for (const above of open) {
    for (const header of children.get(above.header.id) ?? []) {
      const isQuiet = isSilentMark(header.digest);
      if ((!isQuiet && voiceOf(header.role) !== role) || stored.length === FOLLOWED) continue;
      const next = isQuiet
        ? { header, digest: above.digest, silent: above.silent + 1 }
        : { header, digest: await runLater(digestOf(reads, key, header)), silent: 0 };
      stored.push(next);
      open.push(next);
    }
  }
  return stored;
}

/** The digest of a message, also where it was put off: a message that continues a turn is written without one. */
function* digestOf(reads: LedgerReads, key: ThreadKey, header: MessageHeader): Steps<string> {
  if (isDigest(header.digest)) return header.digest;
  const { messages, end } = yield* turnsAbove(reads, key, header.id, endsAbove);
  return historyOf(messages, digestAt(end)).turns.at(-1)?.digest ?? "";
}

/** How far into a turn the history is stored, and where that is. */
async function longestEnd(
  history: History,
  turn: Turn,
  after: number,
  stored: readonly Stored[],
  accepts: (match: Match) => Promise<boolean>,
): Promise<{ at: number; headers: MessageHeader[] } | undefined> {
  if (stored.length === 0) return undefined;
  const from = Math.max(after, turn.from);
  for (const place of [{ at: turn.to, digest: turn.digest }, ...endsWithin(history, turn, from)]) {
    // What says nothing at the end leaves the digest as it was: it is known where as much of it is stored.
    const silent = turn.role === "assistant" ? 0 : silentBefore(history, place.at);
    const headers: MessageHeader[] = [];
    for (const each of stored) {
      if (each.digest !== place.digest || each.silent < silent) continue;
      if (await accepts({ at: place.at, header: each.header })) headers.push(each.header);
    }
    if (headers.length > 0) return { at: place.at, headers };
  }
  return undefined;
}

/** How many messages in front of a place say nothing. */
function silentBefore({ messages }: History, at: number): number {
  let count = 0;
  for (let before = messages[at - 1]; before !== undefined && isSilent(before); before = messages[at - 1 - count]) {
    count++;
  }
  return count;
}
