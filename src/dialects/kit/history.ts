// A history as it goes out: the messages with the places they came from, mended where the target would refuse them.
// The messages themselves are never touched; every repair is reported at the place it concerns.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { PairingLoss, PairingRules } from "./pairing.ts";
import { pairResults } from "./pairing.ts";
import { isSealFor } from "./residue.ts";
import { wellFormedParts } from "./surrogates.ts";
import type { Turn } from "./turn.ts";
import { pathOf, withParts } from "./turn.ts";

export interface HistoryRules extends PairingRules {
  /** Blank text is refused (B34). */
  noBlankText?: boolean;
  /** White space at the end of a final assistant turn is refused (B35). */
  noTrailingSpace?: boolean;
  /** A final assistant turn is not continued (B36). */
  noPrefill?: boolean;
}

/** What every history can lose; a dialect that sets a rule of its own also declares what that rule does. */
export type HistoryLoss = PairingLoss | "surrogates" | "prefill";
type RuleLoss = HistoryLoss | "text-blank" | "text-trimmed";

/** The turns of a history. Call it where the trail stands at the list of messages. */
export function prepareHistory(
  messages: readonly Message[],
  rules: HistoryRules,
  context: EncodeContext<HistoryLoss>,
): Turn[] {
  const turns = messages.map((message, index): Turn => ({ message, index }));
  return prepareTurns(turns, rules, context);
}

/** The same for turns that are made already: where several messages are one turn of the wire. */
export function prepareTurns(turns: Turn[], rules: HistoryRules, given: EncodeContext<HistoryLoss>): Turn[] {
  // The rules that are set name losses that the dialect declares.
  const context = given as EncodeContext<RuleLoss>;
  const last = turns.at(-1);
  if (rules.noPrefill === true && last?.message.role === "assistant") {
    context.report.addLoss("prefill", [last.index, "role"]);
  }
  if (!context.repair) return turns;
  let mended = eachTurn(pairResults(turns, rules, context), wellFormedParts, context);
  if (rules.noBlankText === true) mended = eachTurn(mended, withoutBlankText, context);
  return rules.noTrailingSpace === true ? withoutTrailingSpace(mended, context) : mended;
}

function eachTurn(
  turns: Turn[],
  step: (turn: Turn, context: EncodeContext<RuleLoss>) => Turn,
  context: EncodeContext<RuleLoss>,
): Turn[] {
  let changed: Turn[] | undefined;
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at] as Turn; // Within the length.
    const mended = step(turn, context);
    if (mended !== turn) (changed ??= [...turns])[at] = mended;
  }
  return changed ?? turns;
}

const SAYS_SOMETHING = /\S/;

function isBlankText(part: Part | undefined): boolean {
  return part?.type === "text" && !SAYS_SOMETHING.test(part.text);
}

/** Reasoning that goes out: sealed by whom it is sent to. */
function isSealedReasoning(part: Part | undefined, context: EncodeContext): boolean {
  return part?.type === "reasoning" && part.seals?.some((seal) => isSealFor(seal, context)) === true;
}

/** Blank texts go, except beside signed reasoning, whose neighbours the signature may cover. */
function withoutBlankText(turn: Turn, context: EncodeContext<RuleLoss>): Turn {
  const { parts } = turn.message;
  if (!parts.some(isBlankText)) return turn;
  const kept: number[] = [];
  const left: Part[] = [];
  for (const [at, part] of parts.entries()) {
    const isBeside = isSealedReasoning(parts[at - 1], context) || isSealedReasoning(parts[at + 1], context);
    if (!isBlankText(part) || isBeside) {
      left.push(part);
      kept.push(at);
    } else context.report.addLoss("text-blank", pathOf(turn, at));
  }
  return withParts(turn, left, kept);
}

function withoutTrailingSpace(turns: Turn[], context: EncodeContext<RuleLoss>): Turn[] {
  const turn = turns.at(-1);
  const part = turn?.message.parts.at(-1);
  if (turn?.message.role !== "assistant" || part?.type !== "text" || !/\s$/.test(part.text)) return turns;
  const last = turn.message.parts.length - 1;
  context.report.addLoss("text-trimmed", [...pathOf(turn, last), "text"]);
  const parts: Part[] = [...turn.message.parts.slice(0, -1), { ...part, text: part.text.trimEnd() }];
  return [...turns.slice(0, -1), withParts(turn, parts, [...parts.keys()])];
}

/** What a user turn says that is made because the user must speak first (B41). */
export const OPENING = "(The conversation up to here is left out.)";
