// Encodes `systemInstruction`, the only field for system text in a Gemini request.
import { reportMessageFields } from "../../kit/history/user-assistant-turns.ts";
import { joinSystemText } from "../../kit/history/system-text.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { encodeTurnParts, toContent } from "../content/encode-content.ts";
import type { GeminiContent, GeminiPart } from "../types.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

/**
 * Encodes the leading system turns as one text or as parts, then appends the later system turns and reports that they
 * were moved.
 */
export function encodeSystemInstruction(
  leading: readonly OutgoingTurn[],
  later: readonly OutgoingTurn[],
  state: GeminiEncodeState,
): GeminiContent | string | undefined {
  const { context } = state;
  const [first] = leading;
  if (first === undefined && later.length === 0) return undefined;
  const joined = leading.length > 1 ? joinSystemText(leading, context) : undefined;
  const parts: GeminiPart[] = joined === undefined ? [] : [{ text: joined }];
  for (const [at, turn] of [...leading, ...later].entries()) {
    const { message, index } = turn;
    context.pathTracker.into(index, () => reportMessageFields(message, context));
    if (message.role === "developer") context.report.addLoss("developer-as-system", [index, "role"]);
    if (at >= leading.length) context.report.addLoss("system-moved", [index, "parts"]);
    else if (joined !== undefined) context.report.addLoss("system-joined", [index, "parts"]);
    else if (at > 0) context.report.addLoss("turns-merged", [index, "role"]);
    if (at > 0 && message.extra?.[context.dialect] !== undefined) {
      context.report.addLoss("form-stale", [index, "extra", context.dialect]);
    }
    const encoded = encodeTurnParts(turn, state);
    if (joined === undefined || at >= leading.length) parts.push(...encoded);
  }
  if (first === undefined || joined !== undefined) return { parts };
  return context.pathTracker.into(first.index, () => toContent(parts, first.message, context));
}
