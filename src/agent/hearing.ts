// The order in which a thread is told to the model. What somebody said while an answer was on its way stands before that
// answer in the thread, which did not know of it; the model is told of it after the answer, and has still to answer it.
import type { StoredMessage } from "../model/index.ts";

/** `isAgents`: whether a run is an agent's, which begins after all that its answer knows of. Others may begin earlier. */
export async function inOrderOfHearing(
  messages: readonly StoredMessage[],
  isAgents: (runId: string) => Promise<boolean>,
): Promise<readonly StoredMessage[]> {
  let heard: StoredMessage[] | undefined;
  for (let at = 0; at < messages.length;) {
    const end = endOfTurn(messages, at);
    const turn = messages.slice(at, end);
    const before = heard ?? messages.slice(0, at);
    const missed = missedBy(turn, before);
    if (missed > 0 && (await isAgents(turn[0]?.metadata.runId ?? ""))) {
      const from = before.length - missed;
      heard = [...before.slice(0, from), ...turn, ...before.slice(from)];
    } else heard?.push(...turn);
    at = end;
  }
  return heard ?? messages;
}

/** The messages of one run stand together. */
function endOfTurn(messages: readonly StoredMessage[], at: number): number {
  const runId = messages[at]?.metadata.runId;
  let end = at + 1;
  while (runId !== undefined && messages[end]?.metadata.runId === runId) end++;
  return end;
}

/** How many of the last messages were written after the turn's run had begun: ids grow, and a run is named when it begins. */
function missedBy([answer]: readonly StoredMessage[], before: readonly StoredMessage[]): number {
  const { runId, finishReason } = answer?.metadata ?? {};
  // Nothing may stand between an answer that paused and the rest of it.
  if (runId === undefined || finishReason?.unified === "pause") return 0;
  const last = before.findLastIndex(({ id, role, metadata }) => !isSaid(role) || metadata.runId !== undefined || id < runId);
  // An answer is to something.
  return last === -1 ? 0 : before.length - last - 1;
}

function isSaid(role: StoredMessage["role"]): boolean {
  return role === "user" || role === "system" || role === "developer";
}
