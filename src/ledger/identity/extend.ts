// From a known answer on: what else of a history is stored already. A client that tries again sends the user's message
// or the tool results a second time, and they are not to be written twice.
import type { MessageHeader } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { runLater, type Steps } from "../steps.ts";
import type { LedgerReads, ThreadKey } from "../store.ts";
import { turnsAbove } from "../turns.ts";
import { endsWithin, type History, historyOf, type Turn } from "./history.ts";
import { type Match, preferred } from "./match.ts";

/** So many of the thread's messages are looked at, from either end of what follows the match: parents have no index. */
const LOOKED_AT = 256;
/** The most branches that are followed through one turn. */
const FOLLOWED = 64;

/** The match, as far as the history can be followed from there. */
export async function extendMatch(scope: Scope, history: History, match: Match): Promise<Match> {
  const { tenant, threadId, id } = match.header;
  const turns = history.turns.filter(({ to }) => to > match.at);
  if (turns.length === 0) return match;
  const key = { tenant, threadId };
  const children = Map.groupBy(await rowsAfter(scope.store.reads, key, id), ({ parentId }) => parentId);
  let known = { at: match.at, headers: [match.header] };
  for (const turn of turns) {
    const stored = await storedTurn(scope.store.reads, key, known.headers, turn, children);
    const next = longestEnd(history, turn, known.at, stored);
    if (next === undefined) break;
    known = next;
    if (known.at < turn.to) break;
  }
  const newestFirst = known.headers.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { at: known.at, header: (await preferred(scope, newestFirst, undefined)) ?? match.header };
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
}

/** The messages of a turn's role that follow each other under any of the headers, with their digests. */
async function storedTurn(
  reads: LedgerReads,
  key: ThreadKey,
  headers: readonly MessageHeader[],
  { role }: Turn,
  children: ReadonlyMap<string | null, MessageHeader[]>,
): Promise<Stored[]> {
  const stored: Stored[] = [];
  const open = headers.map(({ id }) => id);
  for (const id of open) {
    for (const header of children.get(id) ?? []) {
      if (header.role !== role || stored.length === FOLLOWED) continue;
      stored.push({ header, digest: await runLater(digestOf(reads, key, header)) });
      open.push(header.id);
    }
  }
  return stored;
}

/** The digest of a message, also where it was put off: a message that continues a turn is written without one. */
function* digestOf(reads: LedgerReads, key: ThreadKey, header: MessageHeader): Steps<string> {
  if (header.digest !== "") return header.digest;
  const { messages, end } = yield* turnsAbove(
    reads,
    key,
    header.id,
    // Results need the calls before them.
    (row, below) => row.role !== below.role && row.digest !== "" && below.role !== "tool",
  );
  return historyOf(messages, end?.digest ?? "").turns.at(-1)?.digest ?? "";
}

/** How far into a turn the history is stored, and where that is. */
function longestEnd(
  history: History,
  turn: Turn,
  after: number,
  stored: readonly Stored[],
): { at: number; headers: MessageHeader[] } | undefined {
  if (stored.length === 0) return undefined;
  const at = (digest: string): MessageHeader[] =>
    stored.filter((each) => each.digest === digest).map(({ header }) => header);
  const whole = at(turn.digest);
  if (whole.length > 0) return { at: turn.to, headers: whole };
  for (const place of endsWithin(history, turn, Math.max(after, turn.from))) {
    const headers = at(place.digest);
    if (headers.length > 0) return { at: place.at, headers };
  }
  return undefined;
}
