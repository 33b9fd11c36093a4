// Restores the stored messages of a history (B11). Assistant messages come from the store, with their seals, reasoning,
// provider parts and exact arguments. The client's own content (user messages, results, instructions, cache
// breakpoints) comes from the client; the client's results are changed to refer to the stored call ids.
import type { Message, StoredMessage } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { CallIdMap } from "./call-ids.ts";
import type { TurnHistory, IdentityTurn } from "./history-turns.ts";
import { withoutLogprobs } from "./same-content.ts";
import { isBlank } from "./normal-form.ts";

/** The stored messages for the turns of a history up to the position `at`. */
export interface StoredAnswers {
  at: number;
  /** The stored messages of each assistant turn. */
  byTurn: ReadonlyMap<IdentityTurn, StoredMessage[]>;
  /**
   * The stored blank assistant messages inside each turn of another role. The identity of a conversation ignores blank
   * messages, so one user turn can contain messages before and after a blank assistant message.
   */
  between: ReadonlyMap<IdentityTurn, readonly BlankMessagePosition[]>;
}

/** A blank message and its position within a turn. */
export interface BlankMessagePosition {
  /** The number of messages that are not blank and precede the blank message in its turn. */
  after: number;
  message: StoredMessage;
}

/**
 * Returns the history with the stored answers instead of the client's answers. The client's results refer to the stored
 * calls.
 */
export function restoreHistory(
  { messages, leading, turns }: TurnHistory,
  { at, byTurn, between }: StoredAnswers,
): Message[] {
  const ids = new CallIdMap();
  const restored = messages.slice(0, leading);
  for (const turn of turns) {
    const answer = byTurn.get(turn);
    let next = turn.from;
    if (answer !== undefined) {
      next = Math.min(turn.to, at);
      const client = messages.slice(turn.from, next);
      ids.addTurn(client, answer);
      for (const message of moveBreakpoints(answer.map(toSentMessage), client)) restored.push(message);
    }
    const others = messages.slice(next, turn.to);
    for (const message of insertBlankMessages(others, between.get(turn))) restored.push(ids.apply(message));
  }
  return restored;
}

/**
 * Returns the messages of a client's turn, in which the stored blank messages replace the blank messages that the
 * client sent. Without stored blank messages, the client's messages are returned unchanged.
 */
function insertBlankMessages(
  messages: readonly Message[],
  between: readonly BlankMessagePosition[] = [],
): readonly Message[] {
  if (between.length === 0) return messages;
  const byCount = Map.groupBy(between, ({ after: behind }) => behind);
  const result: Message[] = [];
  let count = 0;
  for (const message of messages) {
    if (isBlank(message)) continue;
    result.push(message);
    for (const each of byCount.get(++count) ?? []) result.push(toSentMessage(each.message));
  }
  return result;
}

/**
 * Returns a stored message without the fields that the ledger added. Its id is the id with which the message was
 * appended; there is no id if the message was appended without one.
 */
function toSentMessage(stored: StoredMessage): Message {
  const { id: _, parentMessageId: __, createdAt: ___, metadata, ...message } = stored;
  // Log probabilities are removed: they belong to answers, and no request has a field for them.
  if (message.parts.some(hasLogprobs)) message.parts = message.parts.map(withoutLogprobs);
  const { sourceId } = metadata;
  return typeof sourceId === "string" ? { ...message, id: sourceId } : message;
}

/** Replaces the stored cache breakpoints with the client's. Changes and returns `messages`. */
function moveBreakpoints(messages: Message[], client: readonly Message[]): Message[] {
  if (!hasBreakpoint(messages) && !hasBreakpoint(client)) return messages;
  const partsByName = new Map<string, Part>();
  let last: Part | undefined;
  for (const [name, part] of nameParts(messages)) {
    delete part.cache;
    partsByName.set(name, part);
    // If the part that has the client's breakpoint is not stored, the breakpoint moves to `last`. Reasoning and opaque
    // parts do not count as the last part, because they may be dropped for another provider.
    if (part.type !== "reasoning" && part.type !== "opaque") last = part;
  }
  for (const [name, { cache }] of nameParts(client)) {
    const target = cache === undefined ? undefined : (partsByName.get(name) ?? last);
    if (target !== undefined && cache !== undefined) target.cache = cache;
  }
  return messages;
}

function hasBreakpoint(messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(({ cache }) => cache !== undefined));
}

/**
 * Yields each part with a name that consists of its type and its number among the parts of this type. Parts with the
 * same name correspond: the third text of one history is the third text of the other.
 */
function* nameParts(messages: readonly Message[]): Generator<[name: string, part: Part], void, void> {
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
