// The order in which the model receives a thread. A message that was appended while an answer was being written is before
// that answer in the thread, but the model did not know it; the model receives it after the answer and still answers it.
import type { StoredMessage } from "../../model/index.ts";
import { isInputRole, isInstruction } from "./next-action.ts";

/** Sorts messages. `isAgentRun`: true for runs of an agent, which begin after all messages that their answer knows. */
export async function toModelOrder(
  messages: readonly StoredMessage[],
  isAgentRun: (runId: string) => Promise<boolean>,
): Promise<readonly StoredMessage[]> {
  const ordered: StoredMessage[] = [];
  for (let start = 0; start < messages.length;) {
    const end = findTurnEnd(messages, start);
    const turn = messages.slice(start, end);
    const unseen = countUnseen(turn, ordered);
    const isMoved = unseen > 0 && (await isAgentRun(turn[0]?.metadata.runId ?? ""));
    ordered.splice(ordered.length - (isMoved ? unseen : 0), 0, ...turn);
    start = end;
  }
  return ordered;
}

/** Returns the end of the messages of one run, which are adjacent. */
function findTurnEnd(messages: readonly StoredMessage[], start: number): number {
  const runId = messages[start]?.metadata.runId;
  let end = start + 1;
  if (runId === undefined) return end;
  for (; end < messages.length; end++) if (messages[end]?.metadata.runId !== runId) break;
  return end;
}

/** Counts the messages directly before a turn that were written after its run had begun. Ids grow with time, also across runs. */
function countUnseen([answer]: readonly StoredMessage[], before: readonly StoredMessage[]): number {
  const { runId, finishReason } = answer?.metadata ?? {};
  // No message may separate a paused answer from its continuation.
  if (runId === undefined || finishReason?.unified === "pause") return 0;
  const last = before.findLastIndex(
    ({ id, role, metadata }) => !isInputRole(role) || metadata.runId !== undefined || id < runId,
  );
  const unseen = before.length - last - 1;
  // If only instructions would remain, the message that the answer replies to was cut off by `maxMessages`.
  return unseen === 0 || before.slice(0, last + 1).every(({ role }) => isInstruction(role)) ? 0 : unseen;
}
