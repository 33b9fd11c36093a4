// The known part of a history with what the client dropped put back (B11): what the assistant said comes from the store,
// with its seals, reasoning, provider parts and exact arguments. What the client says itself (users' words, results,
// instructions, cache breakpoints) is taken from the client; its results answer calls by the ids that are stored.
import type { Message, StoredMessage } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { readRows } from "../body.ts";
import { type Climb, climb, firstSize, nextSize } from "../paths.ts";
import type { MessageRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { CallIds } from "./call-ids.ts";
import type { History, Turn } from "./history.ts";
import type { Match } from "./match.ts";
import { isInstruction } from "./normal-form.ts";

/** What is stored for turns of the assistant, up to a place in the history. */
export interface Answers {
  at: number;
  byTurn: ReadonlyMap<Turn, StoredMessage[]>;
}

/** The history with the answers in place of the client's; the client's results answer the calls in them. */
export function restoreHistory({ messages, leading, turns }: History, { at, byTurn }: Answers): Message[] {
  const ids = new CallIds();
  const restored = messages.slice(0, leading);
  for (const turn of turns) {
    const answer = byTurn.get(turn);
    let next = turn.from;
    if (answer !== undefined) {
      next = Math.min(turn.to, at);
      const client = messages.slice(turn.from, next);
      ids.learn(client, answer);
      for (const message of withBreakpoints(answer.map(asSent), client)) restored.push(message);
    }
    for (const message of messages.slice(next, turn.to)) restored.push(ids.apply(message));
  }
  return restored;
}

/** The message without what belongs to the ledger; its id is the one it came with. */
function asSent(stored: StoredMessage): Message {
  const { id: _, parentMessageId: __, createdAt: ___, metadata, ...message } = stored;
  const { sourceId } = metadata;
  return typeof sourceId === "string" ? { ...message, id: sourceId } : message;
}

/** What is stored for the assistant's turns up to the match. Without those that cannot be read in full. */
export async function storedAnswers(scope: Scope, history: History, { at: end, header }: Match): Promise<Answers> {
  const { tenant, threadId, id } = header;
  const known = history.turns.filter(({ from }) => from < end);
  const stored = await storedTurns(scope, { tenant, threadId }, id);
  // Both end with the match and have the same turns; only where the path is torn are there fewer in the store.
  const shift = stored.length - known.length;
  const pairs = known.flatMap((turn, at) => {
    const rows = stored[at + shift];
    return turn.role === "assistant" && rows?.[0]?.role === turn.role ? [{ turn, rows }] : [];
  });
  const read = await readRows(
    scope,
    pairs.flatMap(({ rows }) => rows),
    "send",
  );
  const byId = new Map(read.map((message) => [message.id, message]));
  const byTurn = new Map<Turn, StoredMessage[]>();
  for (const { turn, rows } of pairs) {
    const messages = rows.flatMap((row) => byId.get(row.id) ?? []);
    if (messages.length === rows.length) byTurn.set(turn, messages);
  }
  return { at: end, byTurn };
}

/** The rows of the path that ends with a message, by turns, without the instructions that it begins with. */
async function storedTurns(scope: Scope, key: ThreadKey, from: string): Promise<MessageRow[][]> {
  const path: MessageRow[] = [];
  let wanted: string | null = from;
  let size = firstSize(Number.POSITIVE_INFINITY);
  let isTorn = false;
  while (wanted !== null && !isTorn) {
    const read: MessageRow[] = await scope.store.reads.messages(key, { upTo: wanted, order: "down", limit: size });
    const { rows, next, missing }: Climb<MessageRow> = climb(read, wanted);
    for (const row of rows) path.push(row);
    size = nextSize(size, rows.length, read.length);
    wanted = next;
    isTorn = missing;
  }
  const turns: MessageRow[][] = [];
  for (const row of path.reverse()) {
    if (turns.length === 0 && row.digest === "" && isInstruction(row.role)) continue;
    const turn = turns.at(-1);
    if (turn?.[0]?.role === row.role) turn.push(row);
    else turns.push([row]);
  }
  // The first turn of a torn path may lack its beginning.
  return isTorn ? turns.slice(1) : turns;
}

/** The messages with the client's cache breakpoints in place of those that were stored. They are changed in place. */
function withBreakpoints(messages: Message[], client: readonly Message[]): Message[] {
  if (!hasBreakpoint(messages) && !hasBreakpoint(client)) return messages;
  const places = new Map<string, Part>();
  let last: Part | undefined;
  for (const [name, part] of numbered(messages)) {
    delete part.cache;
    places.set(name, part);
    // What is sealed may go elsewhere, or nowhere.
    if (part.type !== "reasoning" && part.type !== "opaque") last = part;
  }
  for (const [name, { cache }] of numbered(client)) {
    const place = cache === undefined ? undefined : (places.get(name) ?? last);
    if (place !== undefined && cache !== undefined) place.cache = cache;
  }
  return messages;
}

function hasBreakpoint(messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(({ cache }) => cache !== undefined));
}

/** The parts of messages, each named by its kind and number: the third text of the one is the third of the other. */
function* numbered(messages: readonly Message[]): Generator<[name: string, part: Part], void, void> {
  const counts = new Map<string, number>();
  for (const { parts } of messages) {
    for (const part of parts) {
      const count = counts.get(part.type) ?? 0;
      counts.set(part.type, count + 1);
      yield [`${part.type} ${count}`, part];
    }
  }
}
