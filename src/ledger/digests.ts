// The digests of new messages: who a conversation is, up to and including each of them. A digest covers the one before
// its turn and the turn, so that a message which continues a turn needs the whole turn. That is put off where nobody
// asks for it (a mark stands in the row), so that a turn of many messages costs no more than its length.
import type { Message } from "../model/message.ts";
import { digestAfter } from "./identity/digest.ts";
import {
  digestAt,
  endsAbove,
  isDigest,
  isLeading,
  laterMark,
  type Named,
  silentMark,
  turnVoice,
} from "./identity/marks.ts";
import { isInstruction, isSilent, voiceOf } from "./identity/normal-form.ts";
import type { MessageHeader } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { LedgerReads, ThreadKey } from "./store.ts";
import { turnsAbove } from "./turns.ts";

/** Conversations are looked up by their assistant messages; beyond so many in one turn, not by each of them. */
const LONGEST_LOOKED_UP = 256;

/**
 * One digest for each of the messages, which follow `parent`; a mark where there is none, or none yet. Undefined where
 * that takes more of the thread than the parent's header: see `readDigests`.
 */
export function quickDigests(parent: Named | undefined, messages: readonly Message[]): string[] | undefined {
  const chain = knownChain(parent, messages);
  if (chain !== undefined) return digestsIn(chain, parent, messages);
  const marks: string[] = [];
  let above = parent;
  for (const message of messages) {
    const mark = above === undefined ? undefined : quickMark(message, above);
    if (mark === undefined) return undefined;
    marks.push(mark);
    above = { role: message.role, digest: mark };
  }
  return marks;
}

/** `quickDigests`, with the turns above. */
export function* readDigests(
  reads: LedgerReads,
  key: ThreadKey,
  parent: MessageHeader,
  messages: readonly Message[],
): Steps<string[]> {
  return digestsIn(yield* chainAbove(reads, key, parent), parent, messages);
}

function digestsIn(chain: TurnChain, parent: Named | undefined, messages: readonly Message[]): string[] {
  const digests: string[] = [];
  let leading = parent === undefined || isLeading(parent);
  let above = parent;
  for (const message of messages) {
    const { role } = message;
    chain.add(message, leading);
    leading &&= isInstruction(role) || isSilent(message);
    let digest = above === undefined || leading ? undefined : quickMark(message, above);
    if (leading) digest = isInstruction(role) ? "" : silentMark(above);
    const isLookedUp = role !== "assistant" || chain.turnLength <= LONGEST_LOOKED_UP;
    digest ??= isLookedUp ? chain.digest() : "";
    digests.push(digest);
    above = { role, digest };
  }
  return digests;
}

/** What a message under `above` is written with where that takes no digest. */
function quickMark(message: Message, above: Named): string | undefined {
  if (isSilent(message)) return silentMark(above);
  return isPutOff(message.role, above) ? laterMark(message.role) : undefined;
}

/** Whether a message under `above` continues a turn without anybody asking who the conversation is by then. */
function isPutOff(role: string, above: Named): boolean {
  if (turnVoice(above) !== voiceOf(role)) return false;
  return role !== "assistant" || above.digest === "";
}

/** A conversation by its turns, as far as its identity goes. */
class TurnChain {
  #previous: string;
  #turn: Message[] = [];
  /** What says nothing since the last message that did: part of an assistant's words if such follow. */
  #silent: Message[] = [];
  /** The turn before, which has the calls that results answer. */
  #before: Message[] = [];
  #known: string | undefined;

  /** Begins after a turn of which the digest is known. */
  constructor(previous: string) {
    this.#previous = previous;
  }

  get turnLength(): number {
    return this.#turn.length;
  }

  /** `leading`: nothing but instructions came before, and such a message is outside of the chain as well. */
  add(message: Message, leading = false): void {
    if (isSilent(message)) {
      this.#silent.push(message);
      return;
    }
    const heard = message.role === "assistant" ? this.#silent : [];
    this.#silent = [];
    if (leading && isInstruction(message.role)) return;
    if (this.#turn[0] !== undefined && voiceOf(this.#turn[0].role) !== voiceOf(message.role)) {
      this.#previous = this.digest();
      this.#before = this.#turn;
      this.#turn = [];
    }
    for (const each of heard) this.#turn.push(each);
    this.#turn.push(message);
    this.#known = undefined;
  }

  digest(): string {
    this.#known ??= this.#turn.length === 0 ? this.#previous : digestAfter(this.#previous, this.#turn, this.#before);
    return this.#known;
  }
}

/** The chain as it stands under a message, where its header says enough for the messages to come. */
function knownChain(parent: Named | undefined, messages: readonly Message[]): TurnChain | undefined {
  if (parent === undefined || (isLeading(parent) && parent.role !== "assistant")) return new TurnChain("");
  if (!isDigest(parent.digest)) return undefined;
  const first = messages.find((message) => !isSilent(message));
  if (first === undefined || turnVoice(parent) === voiceOf(first.role)) return undefined;
  return beginsWithResults(messages) ? undefined : new TurnChain(parent.digest);
}

/** The chain as it stands under a message, with the last turns as they were said. */
function* chainAbove(reads: LedgerReads, key: ThreadKey, parent: MessageHeader): Steps<TurnChain> {
  const { messages, end } = yield* turnsAbove(reads, key, parent.id, endsAbove);
  const chain = new TurnChain(digestAt(end));
  for (const message of messages) chain.add(message, isLeading(parent));
  return chain;
}

/** Whether the first turn has several results: then the calls before it tell their order. */
function beginsWithResults(messages: readonly Message[]): boolean {
  let results = 0;
  for (const message of messages) {
    if (isSilent(message)) continue;
    if (message.role !== "tool") break;
    results += message.parts.length;
  }
  return results > 1;
}
