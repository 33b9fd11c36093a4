// Ends a script early: at a stop sequence, or after the number of tokens for the command `cut`.
import type { ScriptPart, DemoScript } from "./script.ts";
import { readScriptPartText } from "./script.ts";
import { splitTokens } from "./count-tokens.ts";

/** Returns the script cut before the first stop sequence in its text; the same script if there is none. */
export function cutAtStopSequence(script: DemoScript, stops: readonly string[]): DemoScript {
  const sequences = stops.filter((stop) => stop !== "");
  for (const [index, part] of script.parts.entries()) {
    if (part.type !== "text") continue;
    const positions = sequences.map((stop) => part.text.indexOf(stop)).filter((at) => at >= 0);
    if (positions.length === 0) continue;
    const cut: ScriptPart = { ...part, text: part.text.slice(0, Math.min(...positions)) };
    return { parts: [...script.parts.slice(0, index), cut], finish: "stop" };
  }
  return script;
}

/** Counts the tokens of the script up to the middle of its last part, for the command `cut`; at least 1. */
export function countTokensToMiddle({ parts }: DemoScript): number {
  const counts = parts.map((part) => splitTokens(readScriptPartText(part)).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Math.max(1, total - Math.ceil((counts.at(-1) ?? 0) / 2));
}
