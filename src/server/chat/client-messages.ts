// Converts the stored messages of a chat to messages for the client, with the ids by which the client knows them.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { disassemble } from "../../assembly/index.ts";
import type { Delta, Message, StoredMessage } from "../../model/index.ts";

/** Returns the messages with the ids that the client knows and without the metadata that the ledger added. */
export function toClientMessages(messages: readonly StoredMessage[]): Message[] {
  return messages.map((stored) => {
    const { parentMessageId: _, createdAt: __, metadata, ...message } = stored;
    const clientMetadata = Object.fromEntries(Object.entries(metadata).filter(([name]) => !LEDGER_METADATA.has(name)));
    const clientMessage: Message = { ...message, id: toClientId(stored) };
    return Object.keys(clientMetadata).length === 0 ? clientMessage : { ...clientMessage, metadata: clientMetadata };
  });
}

const LEDGER_METADATA: ReadonlySet<string> = new Set(["schemaVersion", "runId", "response", "sourceId", "sourceRunId"]);

/**
 * Returns the id by which the client knows a message. For an assistant message this is the run id, because a stream
 * sends the id before the message is stored.
 */
export function toClientId({ id, role, metadata }: StoredMessage): string {
  const { sourceId, runId } = metadata;
  if (role === "assistant") return runId ?? id;
  return typeof sourceId === "string" ? sourceId : id;
}

/**
 * Returns the earlier steps of the answer that a run continues: the assistant and tool messages after the last user
 * message, up to the run's fork point.
 */
export async function readEarlierSteps(ledger: Ledger, run: RunInfo): Promise<StoredMessage[]> {
  const { threadId, forkFromMessageId } = run;
  if (forkFromMessageId === undefined || forkFromMessageId === null) return [];
  const path = await ledger.transcript(threadId, { branch: forkFromMessageId });
  const lastInput = path.findLastIndex(({ role }) => role !== "assistant" && role !== "tool");
  return path.slice(lastInput + 1);
}

/** Converts stored assistant and tool messages to deltas. */
export function toDeltas(messages: readonly StoredMessage[]): Delta[] {
  return messages.flatMap((message): Delta[] => {
    if (message.role === "tool") {
      return message.parts.map((value) => ({ kind: "part", payload: { value, role: "tool" } }));
    }
    const { model = "", finishReason = { unified: "other" } } = message.metadata;
    return disassemble({ id: "", model, message, finishReason });
  });
}
