// Receives requests of clients that resend their history: finds the thread, and appends the new messages.
import type { Message, StoredMessage } from "../../../src/index.ts";
import type { Ledger, ThreadMatch } from "../../../src/ledger/index.ts";

export interface ReceivedRequest extends ThreadMatch {
  threadId: string;
  /** The new messages as stored. */
  written: StoredMessage[];
}

/** Returns the new messages of a history, with the ids of stored calls. */
export function selectNewMessages(given: readonly Message[], { known, messages }: ThreadMatch): Message[] {
  return messages.slice(messages.length - (given.length - known));
}

/** Appends the new messages of a request to the matching thread, or to a new one. */
export async function receiveRequest(
  ledger: Ledger,
  given: readonly Message[],
  scope?: string,
): Promise<ReceivedRequest> {
  const own = scope === undefined ? {} : { scope };
  const match = await ledger.findThread(given, own);
  const threadId = match.threadId ?? (await ledger.createThread(own)).id;
  const added = selectNewMessages(given, match);
  const { parentMessageId } = match;
  const written = added.length === 0 ? [] : await ledger.append(threadId, added, { parentMessageId });
  return { ...match, threadId, written };
}

/** Receives a request, and appends its answer. */
export async function exchange(
  ledger: Ledger,
  given: readonly Message[],
  answer: Message,
  scope?: string,
): Promise<ReceivedRequest & { answer: StoredMessage }> {
  const received = await receiveRequest(ledger, given, scope);
  const parentMessageId = received.written.at(-1)?.id ?? received.parentMessageId;
  const [stored] = await ledger.append(received.threadId, [answer], { parentMessageId });
  if (stored === undefined) throw new Error("The answer was not written.");
  return { ...received, answer: stored };
}
