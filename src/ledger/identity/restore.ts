// The known part of a history with what the client dropped put back (B11): what the assistant said comes from the store,
// with its seals, reasoning, provider parts and exact arguments. What the client says itself (users' words, results,
// instructions, cache breakpoints) is taken from the client; its results answer calls by the ids that are stored.
import type { Message, StoredMessage } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { CallIds } from "./call-ids.ts";
import type { History, Turn } from "./history.ts";
import { withoutLogprobs } from "./likeness.ts";
import { isSilent } from "./normal-form.ts";

/** What is stored for the turns of a history, up to a place in it. */
export interface Answers {
  at: number;
  /** For turns of the assistant: what it said. */
  byTurn: ReadonlyMap<Turn, StoredMessage[]>;
  /** For turns of others: what the assistant left between their messages without saying anything. */
  between: ReadonlyMap<Turn, readonly Between[]>;
}

/** A message that says nothing, behind so many of a turn that do. */
export interface Between {
  behind: number;
  message: StoredMessage;
}

/** The history with the answers in place of the client's; the client's results answer the calls in them. */
export function restoreHistory({ messages, leading, turns }: History, { at, byTurn, between }: Answers): Message[] {
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
    const others = messages.slice(next, turn.to);
    for (const message of withBetween(others, between.get(turn))) restored.push(ids.apply(message));
  }
  return restored;
}

/** A client's turn with what is stored between its messages, in place of what the client has there. */
function withBetween(messages: readonly Message[], between: readonly Between[] = []): readonly Message[] {
  if (between.length === 0) return messages;
  const byPlace = Map.groupBy(between, ({ behind }) => behind);
  const whole: Message[] = [];
  let said = 0;
  for (const message of messages) {
    if (isSilent(message)) continue;
    whole.push(message);
    for (const each of byPlace.get(++said) ?? []) whole.push(asSent(each.message));
  }
  return whole;
}

/** The message without what belongs to the ledger; its id is the one it came with. */
function asSent(stored: StoredMessage): Message {
  const { id: _, parentMessageId: __, createdAt: ___, metadata, ...message } = stored;
  // Probabilities are an answer's; no request has a field for them.
  if (message.parts.some(hasLogprobs)) message.parts = message.parts.map(withoutLogprobs);
  const { sourceId } = metadata;
  return typeof sourceId === "string" ? { ...message, id: sourceId } : message;
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

function hasLogprobs(part: Part): boolean {
  return "logprobs" in part && part.logprobs !== undefined;
}
