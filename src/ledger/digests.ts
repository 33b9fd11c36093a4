// The digests of new messages: who a conversation is, up to and including each of them. A digest covers the one before
// its turn and the turn, so that a message which continues a turn needs the whole turn. That is put off where nobody
// asks for it ("" in the row), so that a turn of many messages costs no more than its length.
import type { Message } from "../model/message.ts";
import { digestAfter } from "./identity/digest.ts";
import type { MessageHeader } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { LedgerReads, ThreadKey } from "./store.ts";
import { turnsAbove } from "./turns.ts";

/** Conversations are looked up by their assistant messages; beyond so many in one turn, not by each of them. */
const LONGEST_LOOKED_UP = 256;

/** What of the message above a digest depends on. */
type Named = Pick<MessageHeader, "role" | "digest">;

/**
 * One digest for each of the messages, which follow `parent`; "" where there is none, or none yet. Undefined where that
 * takes more of the thread than the parent's header: see `readDigests`.
 */
export function quickDigests(parent: Named | undefined, messages: readonly Message[]): string[] | undefined {
  const chain = knownChain(parent, messages);
  if (chain !== undefined) return digestsIn(chain, parent, messages);
  const isPutOffWhole = parent !== undefined && messages.every(({ role }) => isPutOff(role, parent));
  return isPutOffWhole ? messages.map(() => "") : undefined;
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
    let digest = "";
    leading &&= isInstruction(role);
    if (!leading) {
      chain.add(message);
      const isAsked = above === undefined || !isPutOff(role, above);
      if (isAsked && (role !== "assistant" || chain.turnLength <= LONGEST_LOOKED_UP)) digest = chain.digest();
    }
    digests.push(digest);
    above = { role, digest };
  }
  return digests;
}

function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

/** Leading instructions are outside of the chain: agents rewrite them on every call. */
function isLeading({ role, digest }: Named): boolean {
  return isInstruction(role) && digest === "";
}

/** Whether a message under `above` continues a turn without anybody asking who the conversation is by then. */
function isPutOff(role: string, above: Named): boolean {
  if (role !== above.role) return false;
  return role === "user" || role === "tool" || (role === "assistant" && above.digest === "");
}

/** A conversation by its turns, as far as its identity goes. */
class TurnChain {
  private previous: string;
  private turn: Message[] = [];
  /** The turn before, which has the calls that results answer. */
  private before: Message[] = [];
  private known: string | undefined;

  /** Begins after a turn of which the digest is known. */
  constructor(previous: string) {
    this.previous = previous;
  }

  get turnLength(): number {
    return this.turn.length;
  }

  add(message: Message): void {
    if (this.turn.length > 0 && this.turn[0]?.role !== message.role) {
      this.previous = this.digest();
      this.before = this.turn;
      this.turn = [];
    }
    this.turn.push(message);
    this.known = undefined;
  }

  digest(): string {
    this.known ??= this.turn.length === 0 ? this.previous : digestAfter(this.previous, this.turn, this.before);
    return this.known;
  }
}

/** The chain as it stands under a message, where its header says enough for the messages to come. */
function knownChain(parent: Named | undefined, messages: readonly Message[]): TurnChain | undefined {
  if (parent === undefined || isLeading(parent)) return new TurnChain("");
  const isNewTurn = parent.digest !== "" && parent.role !== messages[0]?.role;
  return isNewTurn && !beginsWithResults(messages) ? new TurnChain(parent.digest) : undefined;
}

/** The chain as it stands under a message, with the last turns as they were said. */
function* chainAbove(reads: LedgerReads, key: ThreadKey, parent: MessageHeader): Steps<TurnChain> {
  const above = yield* turnsAbove(
    reads,
    key,
    parent.id,
    // The last message of a turn stands for everything before it, once its digest is known; but results need their calls.
    (row, below) => isLeading(row) || (row.role !== below.role && row.digest !== "" && below.role !== "tool"),
  );
  const chain = new TurnChain(above.end?.digest ?? "");
  for (const message of above.messages) chain.add(message);
  return chain;
}

/** Whether the first turn has several results: then the calls before it tell their order. */
function beginsWithResults(messages: readonly Message[]): boolean {
  let results = 0;
  for (const { role, parts } of messages) {
    if (role !== "tool") break;
    results += parts.length;
  }
  return results > 1;
}
