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

/** One digest for each of the messages, which follow `parent`; "" where there is none, or none yet. */
export function* chainDigests(
  reads: LedgerReads,
  key: ThreadKey,
  parent: MessageHeader | undefined,
  messages: readonly Message[],
): Steps<string[]> {
  const digests: string[] = [];
  let leading = parent === undefined || isLeading(parent);
  let above: Named | undefined = parent;
  let chain: TurnChain | undefined;
  /** The first message that is not in the chain yet. */
  let next = 0;
  for (const [index, message] of messages.entries()) {
    const { role } = message;
    let digest = "";
    leading &&= isInstruction(role);
    if (leading) next = index + 1;
    else if (above === undefined || !isPutOff(role, above)) {
      chain ??= yield* chainUnder(reads, key, parent, messages);
      while (next <= index) chain.add(messages[next++]);
      if (role !== "assistant" || chain.turnLength <= LONGEST_LOOKED_UP) digest = chain.digest();
    }
    digests.push(digest);
    above = { role, digest };
  }
  return digests;
}

type Named = Pick<MessageHeader, "role" | "digest">;

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

  add(message: Message | undefined): void {
    if (message === undefined) return;
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

/** The chain as it stands under a message, with as much of the last turns as the messages to come need. */
function* chainUnder(
  reads: LedgerReads,
  key: ThreadKey,
  parent: MessageHeader | undefined,
  messages: readonly Message[],
): Steps<TurnChain> {
  if (parent === undefined || isLeading(parent)) return new TurnChain("");
  const continues = parent.role === messages[0]?.role;
  if (parent.digest !== "" && !continues && !beginsWithResults(messages)) return new TurnChain(parent.digest);
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
