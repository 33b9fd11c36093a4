// Prepares a history for encoding: repairs content that the target would reject, and reports each repair at the path of
// the repaired value. The caller's messages are never changed.
import type { Message } from "../../../model/message.ts";
import type { Part } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { PairingLoss, PairingRules } from "./pair-tool-results.ts";
import { pairResults } from "./pair-tool-results.ts";
import { isSealFor } from "../seals/seals.ts";
import { replaceSurrogatesInTurn } from "./lone-surrogates.ts";
import type { OutgoingTurn } from "./turn.ts";
import { toPartPath, replaceParts } from "./turn.ts";

export interface HistoryRules extends PairingRules {
  /** True if the target rejects a text of only white space (B34). */
  noBlankText?: boolean;
  /**
   * True if the target rejects white space at the end of the last text, if that text belongs to an assistant turn
   * (B35).
   */
  noTrailingSpace?: boolean;
  /** True if the target rejects a history that ends with an assistant turn, or does not continue that turn (B36). */
  noPrefill?: boolean;
}

/**
 * The losses that preparing a history can cause in every dialect. A dialect with `noBlankText` or `noTrailingSpace`
 * also declares "text-blank" or "text-trimmed".
 */
export type HistoryLoss = PairingLoss | "lone-surrogate-replaced" | "prefill-unsupported";
type HistoryRuleLoss = HistoryLoss | "text-blank" | "text-trimmed";

/** Returns the repaired turns of a history. The path tracker must be at the list of messages. */
export function prepareHistory(
  messages: readonly Message[],
  rules: HistoryRules,
  context: EncodeContext<HistoryLoss>,
): OutgoingTurn[] {
  const turns = messages.map((message, index): OutgoingTurn => ({ message, index }));
  return prepareTurns(turns, rules, context);
}

/** Returns the repaired turns of a history whose messages the caller has already merged into turns. */
export function prepareTurns(
  turns: OutgoingTurn[],
  rules: HistoryRules,
  historyContext: EncodeContext<HistoryLoss>,
): OutgoingTurn[] {
  // The cast is safe: a dialect that sets a rule declares the loss of that rule.
  const context = historyContext as EncodeContext<HistoryRuleLoss>;
  const last = turns.at(-1);
  if (rules.noPrefill === true && last?.message.role === "assistant") {
    context.report.addLoss("prefill-unsupported", [last.index, "role"]);
  }
  if (!context.repair) return turns;
  let repaired = mapTurns(pairResults(turns, rules, context), replaceSurrogatesInTurn, context);
  if (rules.noBlankText === true) repaired = mapTurns(repaired, dropBlankText, context);
  return rules.noTrailingSpace === true ? trimFinalText(repaired, context) : repaired;
}

/** Applies `step` to each turn and returns the new list; the given list if `step` has changed no turn. */
function mapTurns(
  turns: OutgoingTurn[],
  step: (turn: OutgoingTurn, context: EncodeContext<HistoryRuleLoss>) => OutgoingTurn,
  context: EncodeContext<HistoryRuleLoss>,
): OutgoingTurn[] {
  let changed: OutgoingTurn[] | undefined;
  for (let at = 0; at < turns.length; at++) {
    // The cast is safe: `at` is less than the length of the list.
    const turn = turns[at] as OutgoingTurn;
    const repaired = step(turn, context);
    if (repaired !== turn) (changed ??= [...turns])[at] = repaired;
  }
  return changed ?? turns;
}

const NON_BLANK = /\S/;

function isBlankText(part: Part | undefined): boolean {
  return part?.type === "text" && !NON_BLANK.test(part.text);
}

/** True if the part is reasoning with a seal that can be sent to the target. */
function isSealedReasoning(part: Part | undefined, context: EncodeContext): boolean {
  return part?.type === "reasoning" && part.seals?.some((seal) => isSealFor(seal, context)) === true;
}

/** Drops blank texts. A blank text next to sealed reasoning stays, because the seal may cover the neighboring parts. */
function dropBlankText(turn: OutgoingTurn, context: EncodeContext<HistoryRuleLoss>): OutgoingTurn {
  const { parts } = turn.message;
  if (!parts.some(isBlankText)) return turn;
  const indexes: number[] = [];
  const remaining: Part[] = [];
  for (const [at, part] of parts.entries()) {
    const isNextToSeal = isSealedReasoning(parts[at - 1], context) || isSealedReasoning(parts[at + 1], context);
    if (!isBlankText(part) || isNextToSeal) {
      remaining.push(part);
      indexes.push(at);
    } else context.report.addLoss("text-blank", toPartPath(turn, at));
  }
  return replaceParts(turn, remaining, indexes);
}

function trimFinalText(turns: OutgoingTurn[], context: EncodeContext<HistoryRuleLoss>): OutgoingTurn[] {
  const turn = turns.at(-1);
  const part = turn?.message.parts.at(-1);
  if (turn?.message.role !== "assistant" || part?.type !== "text" || !/\s$/.test(part.text)) return turns;
  const last = turn.message.parts.length - 1;
  context.report.addLoss("text-trimmed", [...toPartPath(turn, last), "text"]);
  const parts: Part[] = [...turn.message.parts.slice(0, -1), { ...part, text: part.text.trimEnd() }];
  return [...turns.slice(0, -1), replaceParts(turn, parts, [...parts.keys()])];
}

/**
 * The text of the user turn that an encoder adds before a history that starts with an assistant turn, if the target
 * requires that a history starts with the user (B41).
 */
export const OMITTED_HISTORY_TEXT = "(The conversation up to here is left out.)";
