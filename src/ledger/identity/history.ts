// A history by its turns, each with the identity of the conversation at its end.
import type { Message, Role } from "../../model/message.ts";
import { digestAfter } from "./digest.ts";
import { isInstruction, isSilent, voiceOf } from "./normal-form.ts";

/**
 * A maximal run of messages of one voice: `messages.slice(from, to)`. Messages that say nothing divide no turns: those in
 * front of an assistant's words are part of them, others of the turn that they follow.
 */
export interface Turn {
  /** "system" stands for developers, too. */
  role: Role;
  from: number;
  to: number;
  /** From its first message that says something to after the last. */
  first: number;
  end: number;
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
  let from = 0;
  let first = nextSaid(messages, from);
  if (previous === "") {
    while (isInstruction(messages[first]?.role ?? "")) {
      from = first + 1;
      first = nextSaid(messages, from);
    }
  }
  const leading = beginning(messages, from, first);
  const turns: Turn[] = [];
  let digest = previous;
  for (let at = leading; first < messages.length;) {
    const turn = cutTurn(messages, at, first, digest);
    digest = turn.digest = digestUpTo({ messages, leading, turns }, turn, turn.end);
    turns.push(turn);
    at = turn.to;
    first = nextSaid(messages, at);
  }
  return { messages, leading, turns };
}

/** The turn with `first`, which is a message that says something; without its digest. */
function cutTurn(messages: readonly Message[], from: number, first: number, previous: string): Turn {
  // The message is known to be there.
  const role = voiceOf((messages[first] as Message).role);
  let end = first + 1;
  let next = nextSaid(messages, end);
  for (; voiceOf(messages[next]?.role ?? "") === role; next = nextSaid(messages, end)) end = next + 1;
  return { role, from, to: beginning(messages, end, next), first, end, previous, digest: previous };
}

/** The next message that says something; the length where there is none. */
function nextSaid(messages: readonly Message[], from: number): number {
  for (let at = from; ; at++) {
    const message = messages[at];
    if (message === undefined || !isSilent(message)) return at;
  }
}

/** Where the turn begins that says `first`; what lies between it and `after` says nothing. */
function beginning(messages: readonly Message[], after: number, first: number): number {
  return messages[first]?.role === "assistant" ? after : first;
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
  const least = Math.max(after, turn.first, turn.to - LOOKED_AT);
  for (let at = turn.to - 1; at > least; at--) yield { at, digest: digestUpTo(history, turn, at) };
}
