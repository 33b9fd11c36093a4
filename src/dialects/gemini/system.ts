// System text: its one place on the wire, whatever it was spread over.
import { joinedSystem } from "../kit/system.ts";
import type { Turn } from "../kit/turn.ts";
import { encodeTurnParts, reportMessage, spelled } from "./content.ts";
import type { GeminiContent, GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";

/** The system instruction: the leading messages as one text or as parts, and later ones after them, which is reported. */
export function encodeSystem(
  leading: readonly Turn[],
  later: readonly Turn[],
  writing: Writing,
): GeminiContent | string | undefined {
  const { context } = writing;
  const [first] = leading;
  if (first === undefined && later.length === 0) return undefined;
  const joined = leading.length > 1 ? joinedSystem(leading, context) : undefined;
  const parts: GeminiPart[] = joined === undefined ? [] : [{ text: joined }];
  for (const [at, turn] of [...leading, ...later].entries()) {
    const { message, index } = turn;
    context.pathTracker.into(index, () => reportMessage(message, context));
    if (message.role === "developer") context.report.addLoss("developer-as-system", [index, "role"]);
    if (at >= leading.length) context.report.addLoss("system-moved", [index, "parts"]);
    else if (joined !== undefined) context.report.addLoss("system-joined", [index, "parts"]);
    else if (at > 0) context.report.addLoss("turns-merged", [index, "role"]);
    if (at > 0 && message.extra?.[context.dialect] !== undefined) {
      context.report.addLoss("form-stale", [index, "extra", context.dialect]);
    }
    const encoded = encodeTurnParts(turn, writing);
    if (joined === undefined || at >= leading.length) parts.push(...encoded);
  }
  if (first === undefined || joined !== undefined) return { parts };
  return context.pathTracker.into(first.index, () => spelled(parts, first.message, context));
}
