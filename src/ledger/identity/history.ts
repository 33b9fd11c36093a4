// A history by its turns, each with the identity of the conversation at its end.
import type { Message, Role } from "../../model/message.ts";
import { digestAfter } from "./digest.ts";
import { isInstruction } from "./normal-form.ts";

/** A maximal run of messages of one role: `messages.slice(from, to)`. */
export interface Turn {
  role: Role;
  from: number;
  to: number;
  /** Of the conversation before the turn. */
  previous: string;
  /** Of the conversation up to its end. */
  digest: string;
}

export interface History {
  readonly messages: readonly Message[];
  /** How many instructions it begins with, which are outside its identity. */
  readonly leading: number;
  readonly turns: readonly Turn[];
}

/** The turns of messages that follow a conversation of which the digest is known; "": of none. */
export function historyOf(messages: readonly Message[], previous = ""): History {
  let at = 0;
  if (previous === "") while (at < messages.length && isInstruction(roleAt(messages, at))) at++;
  const leading = at;
  const turns: Turn[] = [];
  let digest = previous;
  while (at < messages.length) {
    const turn: Turn = { role: roleAt(messages, at), from: at, to: at + 1, previous: digest, digest };
    while (turn.to < messages.length && roleAt(messages, turn.to) === turn.role) turn.to++;
    digest = turn.digest = digestUpTo({ messages, leading, turns }, turn, turn.to);
    turns.push(turn);
    at = turn.to;
  }
  return { messages, leading, turns };
}

/** The messages are known to reach so far. */
function roleAt(messages: readonly Message[], at: number): Role {
  return (messages[at] as Message).role;
}

/** The digest of the conversation where a turn is cut off before the message `to`. */
function digestUpTo({ messages, turns }: History, turn: Turn, to: number): string {
  const before = turns.findLast((each) => each.to === turn.from);
  const calls = before === undefined ? [] : messages.slice(before.from, before.to);
  return digestAfter(turn.previous, messages.slice(turn.from, to), calls);
}

/** A place in a history: before the message `at`. */
export interface Place {
  at: number;
  digest: string;
}

/** So many messages of one turn are looked at one by one, from its end. */
const LOOKED_AT = 8;

/** The places after what an assistant said, longest first. */
export function* assistantEnds(history: History): Generator<Place, void, void> {
  for (const turn of history.turns.toReversed()) {
    if (turn.role !== "assistant") continue;
    yield { at: turn.to, digest: turn.digest };
    yield* endsWithin(history, turn, turn.from);
  }
}

/** The places between the messages of a turn, after `after`, longest first. */
export function* endsWithin(history: History, turn: Turn, after: number): Generator<Place, void, void> {
  const least = Math.max(after, turn.to - LOOKED_AT);
  for (let at = turn.to - 1; at > least; at--) yield { at, digest: digestUpTo(history, turn, at) };
}
