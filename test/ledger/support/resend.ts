// What a server does for clients that resend their history: it recognises it, and writes what is new.
import type { Message, StoredMessage } from "../../../src/index.ts";
import type { Ledger, ThreadMatch } from "../../../src/ledger/index.ts";

export interface Received extends ThreadMatch {
  threadId: string;
  /** What was new, as it was written. */
  written: StoredMessage[];
}

/** The messages of a history that are new, with the ids of stored calls. */
export function newOf(given: readonly Message[], { known, messages }: ThreadMatch): Message[] {
  return messages.slice(messages.length - (given.length - known));
}

/** Takes a request in: what is new is appended where it belongs, in a thread of its own where nothing is known. */
export async function receive(ledger: Ledger, given: readonly Message[], scope?: string): Promise<Received> {
  const own = scope === undefined ? {} : { scope };
  const recognised = await ledger.recognise(given, own);
  const threadId = recognised.threadId ?? (await ledger.createThread(own)).id;
  const added = newOf(given, recognised);
  const { parentMessageId } = recognised;
  const written = added.length === 0 ? [] : await ledger.append(threadId, added, { parentMessageId });
  return { ...recognised, threadId, written };
}

/** The request, and the answer to it under what was received. */
export async function exchange(
  ledger: Ledger,
  given: readonly Message[],
  answer: Message,
  scope?: string,
): Promise<Received & { answer: StoredMessage }> {
  const received = await receive(ledger, given, scope);
  const parentMessageId = received.written.at(-1)?.id ?? received.parentMessageId;
  const [stored] = await ledger.append(received.threadId, [answer], { parentMessageId });
  if (stored === undefined) throw new Error("The answer was not written.");
  return { ...received, answer: stored };
}
