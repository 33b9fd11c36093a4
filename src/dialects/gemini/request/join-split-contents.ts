// Joins messages that were decoded from one content (function responses mixed with other parts) into one turn, so that
// the encoder writes one content.
import { reportMessageFields } from "../../kit/history/user-assistant-turns.ts";
import type { Message } from "../../../model/message.ts";
import type { EncodeContext } from "../../dialect.ts";
import { readForm } from "../../kit/residue/residue.ts";
import type { PartPosition, OutgoingTurn } from "../../kit/history/turn.ts";
import { findPartPosition } from "../../kit/history/turn.ts";
import { isPlainMessage } from "../content/encode-content.ts";
import type { GeminiLossCode } from "../losses.ts";

/**
 * Returns the turns of a history. A message whose form marks it as part of the previous message's content joins that
 * turn. The path tracker must be at the list of messages.
 */
export function joinSplitContents(
  messages: readonly Message[],
  context: EncodeContext<GeminiLossCode>,
): OutgoingTurn[] {
  const turns: OutgoingTurn[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message;
    const turn = message.extra === undefined ? undefined : readForm(message, context.dialect)["turn"];
    const previousTurn = turns.at(-1);
    const hasPredecessor = previousTurn !== undefined && (turn === "joined" || endsWithResult(previousTurn.message));
    if (turn === "joined" && previousTurn !== undefined)
      turns[turns.length - 1] = appendToTurn(previousTurn, message, index, context);
    else turns.push({ message, index });
    if (turn !== undefined && !hasPredecessor) {
      context.report.addLoss("form-stale", [index, "extra", context.dialect, "$form", "turn"]);
    }
  }
  return turns;
}

/**
 * True if a tool message is empty or ends with a tool result, so that a further result can follow in the same content.
 */
export function endsWithResult(message: Message | undefined): boolean {
  const part = message?.parts.at(-1);
  return message?.role === "tool" ? part?.type === "tool-result" || part === undefined : false;
}

function appendToTurn(
  turn: OutgoingTurn,
  message: Message,
  index: number,
  context: EncodeContext<GeminiLossCode>,
): OutgoingTurn {
  if (!isPlainMessage(message)) context.pathTracker.into(index, () => reportMessageFields(message, context));
  const { parts, role } = turn.message;
  const positions = [...parts.keys()].map((part) => findPartPosition(turn, part));
  const addedPositions = message.parts.map((_, part): PartPosition => [index, part]);
  // If results are added to a user turn, the whole turn becomes a tool turn.
  const isResults = role !== "assistant" && message.role === "tool";
  return {
    message: { ...turn.message, role: isResults ? "tool" : role, parts: [...parts, ...message.parts] },
    index: turn.index,
    positions: [...positions, ...addedPositions],
  };
}
