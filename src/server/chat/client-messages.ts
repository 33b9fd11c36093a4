// Converts the stored messages of a chat to messages for the client, which have the client's ids.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { disassemble } from "../../assembly/index.ts";
import type { Delta, Message, StoredMessage } from "../../model/index.ts";

/** Returns the messages with the client's ids and without the metadata that the ledger added. */
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
 * Returns the client's id of a message. The client's id of an assistant message is the run id, because a stream sends
 * the id before the message is stored.
 */
export function toClientId({ id, role, metadata }: StoredMessage): string {
  const { sourceId, runId } = metadata;
  if (role === "assistant") return runId ?? id;
  return typeof sourceId === "string" ? sourceId : id;
}

/** Returns the assistant and tool messages after the last user message that precede a run. */
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
