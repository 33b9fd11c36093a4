// Answers as the ledger has them: a run's messages, and the response that its client was given.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { Message, Metadata, Response, StoredMessage } from "../../model/index.ts";

/** What a run that has ended left, in order. */
export async function messagesOf(ledger: Ledger, { id: runId, threadId }: RunInfo): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for await (const event of ledger.follow({ threadId, runId, gaps: "skip" })) {
    if (event.type === "message") messages.push(event.message);
  }
  return messages;
}

/** The answer of a run that was committed; undefined where it was deleted since. */
export async function answerOf(ledger: Ledger, run: RunInfo): Promise<StoredMessage | undefined> {
  return (await messagesOf(ledger, run)).findLast(({ role }) => role === "assistant");
}

/** The response that a stored answer tells of, under the id that the client knows. */
export function responseOf(answer: StoredMessage, { metadata: facts }: RunInfo): Response {
  const {
    model = "",
    finishReason = { unified: "other" },
    usage,
    response = {},
  } = answer.metadata as Metadata & {
    response?: Partial<Response>; // as the ledger describes answers
  };
  const told: Response = { id: "", model, message: withoutLedgerFields(answer), finishReason, ...response };
  if (typeof facts?.["responseId"] === "string") told.id = facts["responseId"];
  return usage === undefined ? told : { ...told, usage };
}

/** A message as it was when it came: without what belongs to the ledger. */
export function withoutLedgerFields(stored: StoredMessage): Message {
  const { id: _, parentMessageId: __, createdAt: ___, metadata, ...message } = stored;
  const { sourceId } = metadata;
  return typeof sourceId === "string" ? { ...message, id: sourceId } : message;
}
