// Sorts a thread into the order in which the model receives it. A message that was appended while an answer was being
// streamed is before that answer in the thread, but the model had not received it. The model receives it after the
// answer and answers it then.
import type { StoredMessage } from "../../model/index.ts";
import { isInputRole, isInstruction } from "./next-action.ts";

/**
 * Returns the messages in the order in which the model receives them. Only answers for whose run `isAgentRun` is true
 * are moved: an agent's run begins after all messages that its answer is based on, which is not certain for other runs.
 */
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

/**
 * Returns the index after the last message of the run that wrote the message at `start`. The messages of a run are
 * adjacent. A message without a run counts alone.
 */
function findTurnEnd(messages: readonly StoredMessage[], start: number): number {
  const runId = messages[start]?.metadata.runId;
  let end = start + 1;
  if (runId === undefined) return end;
  for (; end < messages.length; end++) if (messages[end]?.metadata.runId !== runId) break;
  return end;
}

/**
 * Counts the messages directly before a turn that were appended after its run had begun. The ids of messages and runs
 * increase with time, so their order shows which came first.
 */
function countUnseen([answer]: readonly StoredMessage[], before: readonly StoredMessage[]): number {
  const { runId, finishReason } = answer?.metadata ?? {};
  // A paused answer is not moved, because no message may separate it from its continuation.
  if (runId === undefined || finishReason?.unified === "pause") return 0;
  const last = before.findLastIndex(
    ({ id, role, metadata }) => !isInputRole(role) || metadata.runId !== undefined || id < runId,
  );
  const unseen = before.length - last - 1;
  // If only instructions would remain before the answer, nothing is moved: `maxMessages` has removed the message that
  // the answer replies to, and an answer must follow a message.
  return unseen === 0 || before.slice(0, last + 1).every(({ role }) => isInstruction(role)) ? 0 : unseen;
}
