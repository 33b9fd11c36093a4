// A chat's stored messages as its client knows them: under the ids that it was told, or told us.
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { disassemble } from "../../assembly/index.ts";
import type { Delta, Message, StoredMessage } from "../../model/index.ts";

/** Messages as the client had them: under its ids, without what the ledger notes for itself. */
export function asClientKnows(messages: readonly StoredMessage[]): Message[] {
  return messages.map((stored) => {
    const { parentMessageId: _, createdAt: __, metadata, ...message } = stored;
    const facts = Object.fromEntries(Object.entries(metadata).filter(([name]) => !OWN.has(name)));
    const known: Message = { ...message, id: clientId(stored) };
    return Object.keys(facts).length === 0 ? known : { ...known, metadata: facts };
  });
}

const OWN: ReadonlySet<string> = new Set(["schemaVersion", "runId", "response", "sourceId", "sourceRunId"]);

/** An answer is known by the run that began it: a stream says so before anything is stored. */
export function clientId({ id, role, metadata }: StoredMessage): string {
  const { sourceId, runId } = metadata;
  if (role === "assistant") return runId ?? id;
  return typeof sourceId === "string" ? sourceId : id;
}

/** What the assistant had said and been told since the user spoke, before a run began. */
export async function earlierSteps(ledger: Ledger, run: RunInfo): Promise<StoredMessage[]> {
  const { threadId, forkFromMessageId } = run;
  if (forkFromMessageId === undefined || forkFromMessageId === null) return [];
  const path = await ledger.transcript(threadId, { branch: forkFromMessageId });
  const spoken = path.findLastIndex(({ role }) => role !== "assistant" && role !== "tool");
  return path.slice(spoken + 1);
}

/** Stored steps as the deltas that they once were. */
export function deltasOf(messages: readonly StoredMessage[]): Delta[] {
  return messages.flatMap((message): Delta[] => {
    if (message.role === "tool") {
      return message.parts.map((value) => ({ kind: "part", payload: { value, role: "tool" } }));
    }
    const { model = "", finishReason = { unified: "other" } } = message.metadata;
    return disassemble({ id: "", model, message, finishReason });
  });
}
