// Splits a history into turns, each with the digest of the conversation at its end.
import type { Message, Role } from "../../model/message.ts";
import { computeDigest } from "./digest.ts";
import { isInstruction, isBlank, toTurnRole } from "./normal-form.ts";

/**
 * Consecutive messages of one role: `messages.slice(from, to)`. Blank messages do not separate turns. Blank messages
 * directly before an assistant's content belong to its turn, and all others to the turn that they follow.
 */
export interface IdentityTurn {
  /** The role of the messages; developer messages count as "system". */
  role: Role;
  from: number;
  to: number;
  /** The index of the first message of the turn that is not blank. */
  first: number;
  /** The index after the last message of the turn that is not blank. */
  end: number;
  /** The digest of the conversation before the turn. */
  previous: string;
  /** The digest of the conversation at the end of the turn. */
  digest: string;
}

/** The messages of a history and their turns. */
export interface TurnHistory {
  readonly messages: readonly Message[];
  /** The number of leading messages that are not part of the identity: instructions, and blank messages among them. */
  readonly leading: number;
  readonly turns: readonly IdentityTurn[];
}

/**
 * Splits messages into turns. `previous` is the digest of the conversation that they continue; "" if they begin a
 * conversation.
 */
export function toHistory(messages: readonly Message[], previous = ""): TurnHistory {
  let from = 0;
  let first = findNextNonBlank(messages, from);
  if (previous === "") {
    while (isInstruction(messages[first]?.role ?? "")) {
      from = first + 1;
      first = findNextNonBlank(messages, from);
    }
  }
  const leading = findTurnStart(messages, from, first);
  const turns: IdentityTurn[] = [];
  let digest = previous;
  for (let at = leading; first < messages.length;) {
    const turn = cutTurn(messages, at, first, digest);
    digest = turn.digest = computeDigestUpTo({ messages, leading, turns }, turn, turn.end);
    turns.push(turn);
    at = turn.to;
    first = findNextNonBlank(messages, at);
  }
  return { messages, leading, turns };
}

/**
 * Returns the turn that starts at `from`. `first` is the index of its first message that is not blank. The caller sets
 * the digest of the turn.
 */
function cutTurn(messages: readonly Message[], from: number, first: number, previous: string): IdentityTurn {
  // The cast is safe, because `toHistory` calls this function only if `first` is less than `messages.length`.
  const role = toTurnRole((messages[first] as Message).role);
  let end = first + 1;
  let next = findNextNonBlank(messages, end);
  for (; toTurnRole(messages[next]?.role ?? "") === role; next = findNextNonBlank(messages, end)) end = next + 1;
  return { role, from, to: findTurnStart(messages, end, next), first, end, previous, digest: previous };
}

/** Returns the index of the next message that is not blank; the number of messages if there is none. */
function findNextNonBlank(messages: readonly Message[], from: number): number {
  for (let at = from; ; at++) {
    const message = messages[at];
    if (message === undefined || !isBlank(message)) return at;
  }
}

/**
 * Returns the index at which the turn of the message `first` starts. All messages from `after` to `first` are blank;
 * they belong to this turn only if `first` is an assistant message.
 */
function findTurnStart(messages: readonly Message[], after: number, first: number): number {
  return messages[first]?.role === "assistant" ? after : first;
}

/** Returns the digest of the conversation that ends within the turn, before the message `to`. */
function computeDigestUpTo({ messages, turns }: TurnHistory, turn: IdentityTurn, to: number): string {
  const before = turns.findLast((each) => each.to === turn.from);
  const calls = before === undefined ? [] : messages.slice(before.from, before.to);
  return computeDigest(turn.previous, messages.slice(turn.from, to), calls);
}

/** A position in a history, before the message `at`, and the digest of the conversation up to this position. */
export interface HistoryPosition {
  at: number;
  digest: string;
}

/**
 * The maximum number of messages at the end of a turn between which positions are listed, because a digest is computed
 * for each position.
 */
const MAX_ENDS_PER_TURN = 8;

/**
 * Yields the position after each assistant turn and the positions within the turn, from the end of the history
 * backwards.
 */
export function* listAssistantEnds(history: TurnHistory): Generator<HistoryPosition, void, void> {
  for (const turn of history.turns.toReversed()) {
    if (turn.role !== "assistant") continue;
    yield { at: turn.to, digest: turn.digest };
    yield* listEndsWithin(history, turn, turn.from);
  }
}

/** Yields the positions between two messages of the turn that are larger than `after`, the last position first. */
export function* listEndsWithin(
  history: TurnHistory,
  turn: IdentityTurn,
  after: number,
): Generator<HistoryPosition, void, void> {
  const least = Math.max(after, turn.first, turn.to - MAX_ENDS_PER_TURN);
  for (let at = turn.to - 1; at > least; at--) yield { at, digest: computeDigestUpTo(history, turn, at) };
}
