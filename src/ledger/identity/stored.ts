// The stored turns that a history is matched with, turn by turn: what they say beyond their digests, and whether the
// client means the same by them.
import type { StoredMessage } from "../../model/message.ts";
import { readRows } from "../body.ts";
import { type Climb, climb, firstSize, nextSize } from "../paths.ts";
import type { MessageHeader, MessageRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { History, Turn } from "./history.ts";
import { isLeading, isSilentMark, turnVoice } from "./marks.ts";
import type { Match } from "./match.ts";
import { compareMedia, hasMedia } from "./media.ts";
import type { Answers, Between } from "./restore.ts";

interface Pair {
  turn: Turn;
  rows: readonly MessageRow[];
}

/** What is stored for a history. */
export class StoredHistory {
  readonly #scope: Scope;
  readonly #history: History;
  readonly #hasMedia: boolean;
  /** Messages under which the client means other media than are stored, by thread and id. */
  readonly #refused = new Set<string>();

  constructor(scope: Scope, history: History) {
    this.#scope = scope;
    this.#history = history;
    this.#hasMedia = hasMedia(history.messages);
  }

  /** Whether the media that the client has from the assistant, up to the match, are those that are stored there. */
  async accepts(match: Match): Promise<boolean> {
    // As a rule clients have none, and then nothing is read.
    if (!this.#hasMedia) return true;
    if (this.#refused.has(nameOf(match.header))) return false;
    const pairs = await this.#pairsAt(match);
    for (const [index, { turn, rows }] of pairs.entries()) {
      const client = this.#clientTurn(turn, match.at);
      if (!hasMedia(client) || compareMedia(client, await this.#read(answersIn(rows))) !== "other") continue;
      // The beginning of the turn may still be the same; nothing below it is.
      this.#refused.add(nameOf(match.header));
      for (const { rows: below } of pairs.slice(index + 1)) for (const row of below) this.#refused.add(nameOf(row));
      return false;
    }
    return true;
  }

  /** What is stored for the turns up to the match, without those that cannot be read in full. `from`: rows from it down. */
  async answers(match: Match, from?: MessageRow[]): Promise<Answers> {
    const pairs = await this.#pairsAt(match, from);
    const read = await this.#read(pairs.flatMap(({ rows }) => answersIn(rows)));
    const byId = new Map(read.map((message) => [message.id, message]));
    const byTurn = new Map<Turn, StoredMessage[]>();
    const between = new Map<Turn, Between[]>();
    for (const { turn, rows } of pairs) {
      const wanted = answersIn(rows);
      const messages = wanted.flatMap(({ id }) => byId.get(id) ?? []);
      if (messages.length < wanted.length) continue;
      const client = this.#clientTurn(turn, match.at);
      // Media that may be others are the client's to say.
      if (compareMedia(client, messages) !== "same") continue;
      if (turn.role === "assistant") byTurn.set(turn, messages);
      else if (messages.length > 0 && saysAsMany(this.#history, turn, rows)) between.set(turn, placed(rows, byId));
    }
    return { at: match.at, byTurn, between };
  }

  #clientTurn({ from, to }: Turn, end: number): History["messages"] {
    return this.#history.messages.slice(from, Math.min(to, end));
  }

  #read(rows: readonly MessageRow[]): Promise<StoredMessage[]> {
    return readRows(this.#scope, rows, "send");
  }

  /** The turns up to a match with what is stored for them. Both end with it; where the path is torn, the first are missing. */
  async #pairsAt({ at, header }: Match, rowsFrom?: MessageRow[]): Promise<Pair[]> {
    const known = this.#history.turns.filter(({ from }) => from < at);
    const stored = await storedTurns(this.#scope, header, rowsFrom);
    const shift = stored.length - known.length;
    return known.flatMap((turn, index) => {
      const rows = stored[index + shift];
      return rows !== undefined && rows.some((row) => turnVoice(row) === turn.role) ? [{ turn, rows }] : [];
    });
  }
}

function nameOf({ threadId, id }: MessageHeader): string {
  return `${id} ${threadId}`;
}

function answersIn(rows: readonly MessageRow[]): MessageRow[] {
  return rows.filter(({ role }) => role === "assistant");
}

/** Whether the messages of a turn that say something can be told apart alike: then what stands between them has its place. */
function saysAsMany({ messages }: History, { role, from, to }: Turn, rows: readonly MessageRow[]): boolean {
  const said = messages.slice(from, to).filter((message) => message.role !== "assistant").length;
  return role !== "assistant" && said === rows.filter((row) => row.role !== "assistant").length;
}

/** What broke off is left out, as everywhere (B90). */
function placed(rows: readonly MessageRow[], byId: ReadonlyMap<string, StoredMessage>): Between[] {
  const between: Between[] = [];
  let behind = 0;
  for (const { id, role } of rows) {
    const message = byId.get(id);
    if (role !== "assistant") behind++;
    else if (message !== undefined && message.metadata.interrupted !== true) between.push({ behind, message });
  }
  return between;
}

/** The rows of the path that ends with a message, by turns, without the instructions that it begins with. */
async function storedTurns(
  scope: Scope,
  { tenant, threadId, id }: MessageHeader,
  from?: MessageRow[],
): Promise<MessageRow[][]> {
  const key = { tenant, threadId };
  const path: MessageRow[] = [];
  let wanted: string | null = id;
  let size = firstSize(Number.POSITIVE_INFINITY);
  let isTorn = false;
  let known = from;
  while (wanted !== null && !isTorn) {
    const read: MessageRow[] =
      known ?? (await scope.store.reads.messages(key, { upTo: wanted, order: "down", limit: size }));
    known = undefined;
    const { rows, next, missing }: Climb<MessageRow> = climb(read, wanted);
    for (const row of rows) path.push(row);
    size = nextSize(size, rows.length, read.length);
    wanted = next;
    isTorn = missing;
  }
  const turns = cutRows(path.reverse());
  // The first turn of a torn path may lack its beginning.
  return isTorn ? turns.slice(1) : turns;
}

/** As histories are cut: what says nothing is part of the assistant's words that follow it, else of the turn before. */
function cutRows(path: readonly MessageRow[]): MessageRow[][] {
  const turns: MessageRow[][] = [];
  let voice = "";
  let silent: MessageRow[] = [];
  for (const row of path) {
    if (isSilentMark(row.digest)) {
      silent.push(row);
      continue;
    }
    const isAnswer = row.role === "assistant";
    const isSame = voice === turnVoice(row);
    // Those that stand before the first turn are part of none, unless the assistant begins.
    if (!isAnswer || isSame) for (const each of silent) turns.at(-1)?.push(each);
    const begun = isAnswer && !isSame ? silent : [];
    silent = [];
    if (turns.length === 0 && isLeading(row)) continue;
    if (isSame) turns.at(-1)?.push(row);
    else turns.push([...begun, row]);
    voice = turnVoice(row);
  }
  for (const each of silent) turns.at(-1)?.push(each);
  return turns;
}
