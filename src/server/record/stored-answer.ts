// Reads recorded answers: the messages of a run, and the response that the client received.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import type { Message, Metadata, ModelResponse, StoredMessage } from "../../model/index.ts";

/** Returns the messages of an ended run, in order. */
export async function readRunMessages(ledger: Ledger, { id: runId, threadId }: RunInfo): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for await (const event of ledger.follow({ threadId, runId, gaps: "skip" })) {
    if (event.type === "message") messages.push(event.message);
  }
  return messages;
}

/** Returns the last assistant message of a run; undefined if the answer was deleted. */
export async function readAnswer(ledger: Ledger, run: RunInfo): Promise<StoredMessage | undefined> {
  return (await readRunMessages(ledger, run)).findLast(({ role }) => role === "assistant");
}

/** Restores the response from a stored answer. The id of the response is the one that the client received. */
export function toStoredResponse(answer: StoredMessage, { metadata: runMetadata }: RunInfo): ModelResponse {
  const {
    model = "",
    finishReason = { unified: "other" },
    usage,
    response = {},
  } = answer.metadata as Metadata & {
    response?: Partial<ModelResponse>; // `messageFromResponse` writes this field.
  };
  const restored: ModelResponse = { id: "", model, message: withoutLedgerFields(answer), finishReason, ...response };
  if (typeof runMetadata?.["responseId"] === "string") restored.id = runMetadata["responseId"];
  return usage === undefined ? restored : { ...restored, usage };
}

/** Returns the message without the fields that the ledger added, and with the client's id if the client sent one. */
export function withoutLedgerFields(stored: StoredMessage): Message {
  const { id: _, parentMessageId: __, createdAt: ___, metadata, ...message } = stored;
  const { sourceId } = metadata;
  return typeof sourceId === "string" ? { ...message, id: sourceId } : message;
}
