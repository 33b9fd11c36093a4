// The order in which a thread is told to the model. What somebody said while an answer was on its way stands before that
// answer in the thread, which did not know of it; the model is told of it after the answer, and has still to answer it.
import type { StoredMessage } from "../model/index.ts";
import { isInstruction, isInputRole } from "./standing.ts";

/** `isAgents`: whether a run is an agent's, which begins after all that its answer knows of. Others may begin earlier. */
export async function inOrderOfHearing(
  messages: readonly StoredMessage[],
  isAgents: (runId: string) => Promise<boolean>,
): Promise<readonly StoredMessage[]> {
  const heard: StoredMessage[] = [];
  for (let at = 0; at < messages.length;) {
    const end = endOfTurn(messages, at);
    const turn = messages.slice(at, end);
    const missed = missedBy(turn, heard);
    const isMoved = missed > 0 && (await isAgents(turn[0]?.metadata.runId ?? ""));
    heard.splice(heard.length - (isMoved ? missed : 0), 0, ...turn);
    at = end;
  }
  return heard;
}

/** The messages of one run stand together. */
function endOfTurn(messages: readonly StoredMessage[], at: number): number {
  const runId = messages[at]?.metadata.runId;
  let end = at + 1;
  if (runId === undefined) return end;
  for (; end < messages.length; end++) if (messages[end]?.metadata.runId !== runId) break;
  return end;
}

/** How many of the last messages were written after the turn's run had begun: ids grow, and a run is named when it begins. */
function missedBy([answer]: readonly StoredMessage[], before: readonly StoredMessage[]): number {
  const { runId, finishReason } = answer?.metadata ?? {};
  // Nothing may stand between an answer that paused and the rest of it.
  if (runId === undefined || finishReason?.unified === "pause") return 0;
  const last = before.findLastIndex(
    ({ id, role, metadata }) => !isInputRole(role) || metadata.runId !== undefined || id < runId,
  );
  const missed = before.length - last - 1;
  // An answer is to something, which may not be among the messages any more.
  return missed === 0 || before.slice(0, last + 1).every(({ role }) => isInstruction(role)) ? 0 : missed;
}
