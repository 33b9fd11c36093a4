// Reads the stored turns that a history matches, and compares their media with the client's media, because digests do
// not cover media.
import type { StoredMessage } from "../../model/message.ts";
import { readMessages } from "../messages/message-body.ts";
import { type PathRows, followParents, firstReadSize, nextReadSize } from "../messages/paths.ts";
import type { MessageHeader, MessageRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { TurnHistory, IdentityTurn } from "./history-turns.ts";
import { isLeadingInstruction, isBlankMarker, readTurnRole } from "./digest-markers.ts";
import type { HistoryMatch } from "./match-history.ts";
import { compareMedia, hasMedia } from "./media-identity.ts";
import type { StoredAnswers, BlankMessagePosition } from "./restore-history.ts";

/** A turn of the history and its stored rows. */
interface TurnRows {
  turn: IdentityTurn;
  rows: readonly MessageRow[];
}

/** Reads and checks the stored messages that match a history. */
export class StoredHistory {
  readonly #scope: LedgerScope;
  readonly #history: TurnHistory;
  readonly #hasMedia: boolean;
  /**
   * The keys (`toHeaderKey`) of stored messages that cannot match, because the client's media differ from the media of
   * the message itself or of a message above it.
   */
  readonly #rejected = new Set<string>();

  constructor(scope: LedgerScope, history: TurnHistory) {
    this.#scope = scope;
    this.#history = history;
    this.#hasMedia = hasMedia(history.messages);
  }

  /** True if the assistant's media in the client's history, up to the match, equal the stored media. */
  async accepts(match: HistoryMatch): Promise<boolean> {
    // Most clients send no assistant media, and then no stored message is read.
    if (!this.#hasMedia) return true;
    if (this.#rejected.has(toHeaderKey(match.header))) return false;
    const pairs = await this.#readTurnRows(match);
    for (const [index, { turn, rows }] of pairs.entries()) {
      const client = this.#clientTurn(turn, match.at);
      if (!hasMedia(client) || compareMedia(client, await this.#read(filterAnswers(rows))) !== "other") continue;
      // The media differ in this turn. The tested message and all messages of the later turns can no longer match.
      // Other messages of this turn are not rejected, because the history may match up to an earlier message of the
      // turn.
      this.#rejected.add(toHeaderKey(match.header));
      for (const { rows: below } of pairs.slice(index + 1))
        for (const row of below) this.#rejected.add(toHeaderKey(row));
      return false;
    }
    return true;
  }

  /**
   * Returns the stored assistant messages for the turns up to the match. Omits turns that cannot be read completely or
   * whose media may differ. `from` contains the rows of the match and of the messages before it, if they were already
   * read.
   */
  async readAnswers(match: HistoryMatch, from?: MessageRow[]): Promise<StoredAnswers> {
    const pairs = await this.#readTurnRows(match, from);
    const read = await this.#read(pairs.flatMap(({ rows }) => filterAnswers(rows)));
    const byId = new Map(read.map((message) => [message.id, message]));
    const byTurn = new Map<IdentityTurn, StoredMessage[]>();
    const between = new Map<IdentityTurn, BlankMessagePosition[]>();
    for (const { turn, rows } of pairs) {
      const answerRows = filterAnswers(rows);
      const messages = answerRows.flatMap(({ id }) => byId.get(id) ?? []);
      if (messages.length < answerRows.length) continue;
      const client = this.#clientTurn(turn, match.at);
      // If the media may differ from the stored media, the client's turn is used.
      if (compareMedia(client, messages) !== "same") continue;
      if (turn.role === "assistant") byTurn.set(turn, messages);
      else if (messages.length > 0 && hasSameMessageCount(this.#history, turn, rows))
        between.set(turn, listBlankMessages(rows, byId));
    }
    return { at: match.at, byTurn, between };
  }

  #clientTurn({ from, to }: IdentityTurn, end: number): TurnHistory["messages"] {
    return this.#history.messages.slice(from, Math.min(to, end));
  }

  #read(rows: readonly MessageRow[]): Promise<StoredMessage[]> {
    return readMessages(this.#scope, rows, "send");
  }

  /**
   * Pairs the turns of the history up to a match with their stored rows. The last turns of both correspond, so they are
   * paired from the end. If a message of the path is missing, the turns above it have no pair.
   */
  async #readTurnRows({ at, header }: HistoryMatch, rowsFrom?: MessageRow[]): Promise<TurnRows[]> {
    const known = this.#history.turns.filter(({ from }) => from < at);
    const stored = await readStoredTurns(this.#scope, header, rowsFrom);
    const shift = stored.length - known.length;
    return known.flatMap((turn, index) => {
      const rows = stored[index + shift];
      return rows !== undefined && rows.some((row) => readTurnRole(row) === turn.role) ? [{ turn, rows }] : [];
    });
  }
}

function toHeaderKey({ threadId, id }: MessageHeader): string {
  return `${id} ${threadId}`;
}

function filterAnswers(rows: readonly MessageRow[]): MessageRow[] {
  return rows.filter(({ role }) => role === "assistant");
}

/**
 * True if a turn that is not the assistant's has as many messages in the history as in the store, not counting blank
 * messages. The positions of stored blank messages within the turn are then known.
 */
function hasSameMessageCount(
  { messages }: TurnHistory,
  { role, from, to }: IdentityTurn,
  rows: readonly MessageRow[],
): boolean {
  const count = messages.slice(from, to).filter((message) => message.role !== "assistant").length;
  return role !== "assistant" && count === rows.filter((row) => row.role !== "assistant").length;
}

/** Returns the blank messages between the rows of a turn, without interrupted messages (B90). */
function listBlankMessages(
  rows: readonly MessageRow[],
  byId: ReadonlyMap<string, StoredMessage>,
): BlankMessagePosition[] {
  const between: BlankMessagePosition[] = [];
  let after = 0;
  for (const { id, role } of rows) {
    const message = byId.get(id);
    if (role !== "assistant") after++;
    else if (message !== undefined && message.metadata.interrupted !== true) between.push({ after, message });
  }
  return between;
}

/**
 * Returns the rows of the path that ends with a message, grouped by turn, without leading instructions. `from` contains
 * the row of this message and the rows before it, if they were already read.
 */
async function readStoredTurns(
  scope: LedgerScope,
  { tenant, threadId, id }: MessageHeader,
  from?: MessageRow[],
): Promise<MessageRow[][]> {
  const key = { tenant, threadId };
  const path: MessageRow[] = [];
  let nextId: string | null = id;
  let size = firstReadSize(Number.POSITIVE_INFINITY);
  let isIncomplete = false;
  let available = from;
  while (nextId !== null && !isIncomplete) {
    const read: MessageRow[] =
      available ?? (await scope.store.reads.messages(key, { upTo: nextId, order: "desc", limit: size }));
    available = undefined;
    const { rows, next, missing }: PathRows<MessageRow> = followParents(read, nextId);
    for (const row of rows) path.push(row);
    size = nextReadSize(size, rows.length, read.length);
    nextId = next;
    isIncomplete = missing;
  }
  const turns = groupByTurn(path.reverse());
  // The first turn of an incomplete path may lack its beginning, so it is omitted.
  return isIncomplete ? turns.slice(1) : turns;
}

/**
 * Groups rows by turn, in the same way as `toHistory` groups messages: blank messages belong to the assistant content
 * that follows them, otherwise to the turn before them.
 */
function groupByTurn(path: readonly MessageRow[]): MessageRow[][] {
  const turns: MessageRow[][] = [];
  let role = "";
  let blanks: MessageRow[] = [];
  for (const row of path) {
    if (isBlankMarker(row.digest)) {
      blanks.push(row);
      continue;
    }
    const isAnswer = row.role === "assistant";
    const isSame = role === readTurnRole(row);
    // Blank messages belong to the turn above them, unless an assistant turn begins here: they are then its first
    // messages. Otherwise, blank messages above the first turn belong to no turn.
    if (!isAnswer || isSame) for (const each of blanks) turns.at(-1)?.push(each);
    const leadingBlanks = isAnswer && !isSame ? blanks : [];
    blanks = [];
    if (turns.length === 0 && isLeadingInstruction(row)) continue;
    if (isSame) turns.at(-1)?.push(row);
    else turns.push([...leadingBlanks, row]);
    role = readTurnRole(row);
  }
  for (const each of blanks) turns.at(-1)?.push(each);
  return turns;
}
