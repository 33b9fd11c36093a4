// Computes the digests of new messages. A digest covers the digest before its turn and the turn up to its message, so a
// message that continues a turn needs the earlier messages of that turn. A digest that no lookup needs is deferred: a
// marker is stored instead, so that the time for a turn is linear in its length.
import type { Message } from "../../model/message.ts";
import { computeDigest } from "./digest.ts";
import {
  readDigestOrEmpty,
  isKnownTurnEnd,
  isDigest,
  isLeadingInstruction,
  createDeferredMarker,
  type RoleAndDigest,
  createBlankMarker,
  readTurnRole,
} from "./digest-markers.ts";
import { isInstruction, isBlank, toTurnRole } from "./normal-form.ts";
import type { MessageHeader } from "../store/rows.ts";
import type { Steps } from "../store/steps.ts";
import type { LedgerReads, ThreadKey } from "../store/contract.ts";
import { readTurnsAbove } from "./read-turns.ts";

/**
 * The maximum number of assistant messages of a turn that have a digest. Conversations are looked up by these digests;
 * further messages of the turn have a marker.
 */
const MAX_DIGESTS_PER_TURN = 256;

/**
 * Returns a digest or marker for each of the messages, which follow `parent`; undefined if the parent's header is not
 * enough to compute them. `computeDigestsFromPath` then reads more of the thread.
 */
export function computeDigestsFromHeader(
  parent: RoleAndDigest | undefined,
  messages: readonly Message[],
): string[] | undefined {
  const chain = startChainFromHeader(parent, messages);
  if (chain !== undefined) return computeChainDigests(chain, parent, messages);
  const markers: string[] = [];
  let above = parent;
  for (const message of messages) {
    const marker = above === undefined ? undefined : findMarker(message, above);
    if (marker === undefined) return undefined;
    markers.push(marker);
    above = { role: message.role, digest: marker };
  }
  return markers;
}

/**
 * Returns a digest or marker for each of the messages, which follow `parent`. Unlike `computeDigestsFromHeader`, reads
 * the turns above the messages from the store.
 */
export function* computeDigestsFromPath(
  reads: LedgerReads,
  key: ThreadKey,
  parent: MessageHeader,
  messages: readonly Message[],
): Steps<string[]> {
  return computeChainDigests(yield* readChain(reads, key, parent), parent, messages);
}

function computeChainDigests(
  chain: TurnChain,
  parent: RoleAndDigest | undefined,
  messages: readonly Message[],
): string[] {
  const digests: string[] = [];
  let isLeading = parent === undefined || isLeadingInstruction(parent);
  let above = parent;
  for (const message of messages) {
    const { role } = message;
    chain.add(message, isLeading);
    isLeading &&= isInstruction(role) || isBlank(message);
    let digest = above === undefined || isLeading ? undefined : findMarker(message, above);
    if (isLeading) digest = isInstruction(role) ? "" : createBlankMarker(above);
    const needsDigest = role !== "assistant" || chain.turnLength <= MAX_DIGESTS_PER_TURN;
    digest ??= needsDigest ? chain.digest() : "";
    digests.push(digest);
    above = { role, digest };
  }
  return digests;
}

/** Returns the marker of a message under `above`; undefined if the message needs a digest. */
function findMarker(message: Message, above: RoleAndDigest): string | undefined {
  if (isBlank(message)) return createBlankMarker(above);
  return isDeferred(message.role, above) ? createDeferredMarker(message.role) : undefined;
}

/**
 * True if a message continues the turn of `above` and no lookup needs its digest. Lookups need the digests of assistant
 * messages, up to `MAX_DIGESTS_PER_TURN` per turn. An assistant message with the digest "" is beyond that number, so
 * the assistant messages that continue its turn are deferred, too.
 */
function isDeferred(role: string, above: RoleAndDigest): boolean {
  if (readTurnRole(above) !== toTurnRole(role)) return false;
  return role !== "assistant" || above.digest === "";
}

/** The turns of a conversation, as far as the next digest needs them. */
class TurnChain {
  #previous: string;
  #turn: Message[] = [];
  /**
   * The blank messages since the last message that is not blank. If the next message is an assistant message, they
   * become part of its turn; otherwise they are dropped.
   */
  #blanks: Message[] = [];
  /** The previous turn, which contains the calls of the current turn's results. */
  #before: Message[] = [];
  #digest: string | undefined;

  /** Creates a chain that starts after a turn whose digest is `previous`; "" at the beginning of a conversation. */
  constructor(previous: string) {
    this.#previous = previous;
  }

  get turnLength(): number {
    return this.#turn.length;
  }

  /**
   * Adds a message. If `isLeading` is true, only instructions and blank messages precede the message, and an
   * instruction is ignored, because digests do not cover leading instructions.
   */
  add(message: Message, isLeading = false): void {
    if (isBlank(message)) {
      this.#blanks.push(message);
      return;
    }
    const blanks = message.role === "assistant" ? this.#blanks : [];
    this.#blanks = [];
    if (isLeading && isInstruction(message.role)) return;
    if (this.#turn[0] !== undefined && toTurnRole(this.#turn[0].role) !== toTurnRole(message.role)) {
      this.#previous = this.digest();
      this.#before = this.#turn;
      this.#turn = [];
    }
    for (const each of blanks) this.#turn.push(each);
    this.#turn.push(message);
    this.#digest = undefined;
  }

  digest(): string {
    this.#digest ??= this.#turn.length === 0 ? this.#previous : computeDigest(this.#previous, this.#turn, this.#before);
    return this.#digest;
  }
}

/**
 * Returns the chain of turns that the new messages continue. Returns undefined if the parent's header is not enough:
 * the parent has no digest, the messages continue its turn, or several tool results must be sorted by its calls.
 */
function startChainFromHeader(parent: RoleAndDigest | undefined, messages: readonly Message[]): TurnChain | undefined {
  if (parent === undefined || (isLeadingInstruction(parent) && parent.role !== "assistant")) return new TurnChain("");
  if (!isDigest(parent.digest)) return undefined;
  const first = messages.find((message) => !isBlank(message));
  if (first === undefined || readTurnRole(parent) === toTurnRole(first.role)) return undefined;
  return startsWithSeveralResults(messages) ? undefined : new TurnChain(parent.digest);
}

/** Returns the chain that messages under `parent` continue, built from the last turns in the store. */
function* readChain(reads: LedgerReads, key: ThreadKey, parent: MessageHeader): Steps<TurnChain> {
  const { messages, end } = yield* readTurnsAbove(reads, key, parent.id, isKnownTurnEnd);
  const chain = new TurnChain(readDigestOrEmpty(end));
  for (const message of messages) chain.add(message, isLeadingInstruction(parent));
  return chain;
}

/**
 * True if the first turn of the messages has several results. The normal form sorts them in the order of their calls,
 * so the previous turn, which contains the calls, is needed.
 */
function startsWithSeveralResults(messages: readonly Message[]): boolean {
  let results = 0;
  for (const message of messages) {
    if (isBlank(message)) continue;
    if (message.role !== "tool") break;
    results += message.parts.length;
  }
  return results > 1;
}
