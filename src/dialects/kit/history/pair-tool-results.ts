// Pairs the calls and results of a history, for targets that require exactly one result per call (B24, B25). Results
// are moved after their calls and sorted in call order, missing results are added, duplicate results are dropped, and a
// result without a call is written as text. Calls and results of tools that the provider ran are never changed.
import type { Message } from "../../../model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { OutgoingTurn } from "./turn.ts";
import { findPartPosition, replaceParts, toPartPath } from "./turn.ts";
import { readForm, storeForm } from "../residue/residue.ts";
import { formatToolOutput } from "../tools/tool-output-text.ts";

export interface PairingRules {
  /**
   * True if the target accepts a result anywhere after its call (Responses). Otherwise a result must be directly after
   * the turn with its call.
   */
  allowsAnyPosition?: boolean;
  /**
   * True if the provider may have stored the call of a result. A result without a call in the history is then valid.
   */
  allowsStoredCalls?: boolean;
  /**
   * True if results must directly follow the message with their calls (Chat). Otherwise further assistant messages may
   * be between them.
   */
  requiresSameMessage?: boolean;
}

export type PairingLoss =
  | "result-synthesized"
  | "result-duplicate"
  | "result-orphan"
  | "results-reordered"
  | "call-id-repeated"
  | "result-moved";

const NO_RESULT = "No result was recorded for this call.";
/** The form key that marks a tool message whose results are not in the order of their calls. */
const ORDER = "order";

function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.executor !== "provider";
}
function isClientResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result" && part.executor !== "provider";
}

/** The calls of a history that have no result yet (the pending calls), in the order of the calls. */
class PendingCalls {
  /** For each call id so far, true if the call has no result yet. */
  readonly #isPending = new Map<string, boolean>();
  readonly #ids: string[] = [];
  /** The index in `#ids` of the first pending call. */
  #first = 0;
  count = 0;

  /** Adds the calls of a message. Returns false if one of them has the same id as an earlier call. */
  add({ parts }: Message): boolean {
    let areIdsNew = true;
    for (const part of parts) {
      if (!isClientCall(part)) continue;
      if (this.#isPending.has(part.toolCallId)) areIdsNew = false;
      if (this.#isPending.get(part.toolCallId) === true) continue;
      this.#isPending.set(part.toolCallId, true);
      this.#ids.push(part.toolCallId);
      this.count++;
    }
    return areIdsNew;
  }

  /**
   * Marks a call as resolved. Returns 0 if it was the first pending call, 1 if other pending calls precede it, and -1
   * if no pending call has the id.
   */
  resolve(id: string): -1 | 0 | 1 {
    if (this.#isPending.get(id) !== true) return -1;
    this.#isPending.set(id, false);
    this.count--;
    const isFirst = this.#ids[this.#first] === id;
    while (this.#first < this.#ids.length && this.#isPending.get(this.#ids[this.#first] ?? "") !== true) this.#first++;
    return isFirst ? 0 : 1;
  }
}

/**
 * Stores a form on each tool message whose results are in a different order than their calls, so that the encoder does
 * not sort the results of that message.
 */
export function storeResultOrder(messages: readonly Message[], dialect: string): void {
  const pending = new PendingCalls();
  for (const message of messages) {
    if (message.role === "assistant") pending.add(message);
    if (message.role !== "tool") continue;
    for (const part of message.parts) {
      if (isClientResult(part) && pending.resolve(part.toolCallId) > 0) storeForm(message, dialect, ORDER, "own");
    }
  }
}

/**
 * True if every call has exactly one result, every result has a call, and all results are where the rules allow them.
 */
function arePaired(turns: readonly OutgoingTurn[], rules: PairingRules, dialect: string): boolean {
  const pending = new PendingCalls();
  for (const { message } of turns) {
    const { role } = message;
    if (role === "tool") {
      const hasOwnOrder = message.extra !== undefined && readForm(message, dialect)[ORDER] === "own";
      const isOrderFree = hasOwnOrder || rules.allowsAnyPosition === true;
      for (const part of message.parts) {
        if (!isClientResult(part)) continue;
        const resolved = pending.resolve(part.toolCallId);
        if (resolved < 0 ? rules.allowsStoredCalls !== true : resolved > 0 && !isOrderFree) return false;
      }
      continue;
    }
    if (
      pending.count > 0 &&
      rules.allowsAnyPosition !== true &&
      (role !== "assistant" || rules.requiresSameMessage === true)
    ) {
      return false;
    }
    if (role === "assistant" && !pending.add(message)) return false;
  }
  return pending.count === 0;
}

/** Returns the turns with exactly one result per call, in the order that the rules require. Reports each change. */
export function pairResults(
  turns: OutgoingTurn[],
  rules: PairingRules,
  context: EncodeContext<PairingLoss>,
): OutgoingTurn[] {
  if (arePaired(turns, rules, context.dialect)) return turns;
  return new ResultPairer(withUniqueCallIds(turns, context), rules, context).pairAll();
}

/**
 * Returns turns in which every call has a unique id. Of several calls with the same id, all but the first get a new id,
 * and the n-th result with that id gets the id of the n-th call.
 */
function withUniqueCallIds(turns: OutgoingTurn[], { report }: EncodeContext<PairingLoss>): OutgoingTurn[] {
  const used = new Map<string, number>();
  const pendingIds = new Map<string, string[]>();
  const findUniqueId = (part: Part): string => {
    if (isClientResult(part)) return pendingIds.get(part.toolCallId)?.shift() ?? part.toolCallId;
    if (!isClientCall(part)) return "";
    const id = part.toolCallId;
    let count = used.get(id) ?? 0;
    let uniqueId = count === 0 ? id : `${id}_${++count}`;
    while (count > 0 && used.has(uniqueId)) uniqueId = `${id}_${++count}`;
    used.set(id, Math.max(1, count));
    used.set(uniqueId, Math.max(1, used.get(uniqueId) ?? 0));
    const queue = pendingIds.get(id);
    if (queue === undefined) pendingIds.set(id, [uniqueId]);
    else queue.push(uniqueId);
    return uniqueId;
  };
  return turns.map((turn) => {
    let parts: Part[] | undefined;
    for (const [at, part] of turn.message.parts.entries()) {
      const toolCallId = findUniqueId(part);
      if (!("toolCallId" in part) || toolCallId === "" || toolCallId === part.toolCallId) continue;
      report.addLoss("call-id-repeated", [...toPartPath(turn, at), "toolCallId"]);
      (parts ??= [...turn.message.parts])[at] = { ...part, toolCallId };
    }
    return parts === undefined ? turn : { ...turn, message: { ...turn.message, parts } };
  });
}

interface ResultLocation {
  turn: OutgoingTurn;
  turnIndex: number;
  partIndex: number;
  result: ToolResultPart;
}

function isBefore(a: ResultLocation, b: ResultLocation): boolean {
  return a.turnIndex === b.turnIndex ? a.partIndex < b.partIndex : a.turnIndex < b.turnIndex;
}

/** Builds a new list of turns in which every call has exactly one result, at a position that the rules allow. */
class ResultPairer {
  readonly #turns: readonly OutgoingTurn[];
  readonly #rules: PairingRules;
  readonly #context: EncodeContext<PairingLoss>;
  /** The first result of each call, by call id. */
  readonly #results = new Map<string, ResultLocation>();
  readonly #written = new Set<ToolResultPart>();
  readonly #output: OutgoingTurn[] = [];
  #calls: { call: ToolCallPart; turn: OutgoingTurn; partIndex: number }[] = [];

  constructor(turns: readonly OutgoingTurn[], rules: PairingRules, context: EncodeContext<PairingLoss>) {
    this.#turns = turns;
    this.#rules = rules;
    this.#context = context;
    const calledIds = new Set<string>();
    for (const [turnIndex, turn] of turns.entries()) {
      for (const [partIndex, part] of turn.message.parts.entries()) {
        if (isClientCall(part)) calledIds.add(part.toolCallId);
        // A result before its call is not the result of that call.
        else if (isClientResult(part) && calledIds.has(part.toolCallId) && !this.#results.has(part.toolCallId)) {
          this.#results.set(part.toolCallId, { turn, turnIndex, partIndex, result: part });
        }
      }
    }
  }

  pairAll(): OutgoingTurn[] {
    for (const [turnIndex, turn] of this.#turns.entries()) {
      if (turn.message.role === "tool") this.#writeRemainder(turn);
      else this.#output.push(turn);
      if (turn.message.role !== "assistant") continue;
      for (const [partIndex, call] of turn.message.parts.entries()) {
        if (isClientCall(call)) this.#calls.push({ call, turn, partIndex });
      }
      const continues =
        this.#rules.requiresSameMessage !== true && this.#turns[turnIndex + 1]?.message.role === "assistant";
      if (!continues) this.#writeResults(turnIndex);
    }
    return this.#output;
  }

  /**
   * Writes the results of the pending calls in call order. Results that come from the same message are written as one
   * message.
   */
  #writeResults(turnIndex: number): void {
    const end = this.#findEndOfResults(turnIndex);
    let group: { turn: OutgoingTurn; parts: number[] } | undefined;
    let previous: ResultLocation | undefined;
    const flush = (): void => {
      if (group !== undefined) this.#output.push(this.#excerpt(group.turn, group.parts));
      group = undefined;
    };
    for (const { call, turn, partIndex } of this.#calls) {
      const location = this.#results.get(call.toolCallId);
      if (this.#rules.allowsAnyPosition === true && location !== undefined) continue;
      if (location === undefined || this.#written.has(location.result)) {
        flush();
        this.#synthesize(call, turn, partIndex);
        continue;
      }
      this.#written.add(location.result);
      if (group?.turn !== location.turn) flush();
      group ??= { turn: location.turn, parts: [] };
      const path = toPartPath(location.turn, location.partIndex);
      if (location.turnIndex >= end) this.#context.report.addLoss("result-moved", path);
      else if (previous !== undefined && isBefore(location, previous)) {
        this.#context.report.addLoss("results-reordered", path);
      }
      previous = location;
      group.parts.push(location.partIndex);
    }
    flush();
    this.#calls = [];
  }

  /**
   * Returns the index of the first turn after `turnIndex` that is not a tool turn. The target expects the results of
   * the calls in the turn `turnIndex` before that index.
   */
  #findEndOfResults(turnIndex: number): number {
    let end = turnIndex + 1;
    while (this.#turns[end]?.message.role === "tool") end++;
    return end;
  }

  #excerpt(turn: OutgoingTurn, parts: readonly number[]): OutgoingTurn {
    if (parts.length === turn.message.parts.length && parts.every((part, at) => part === at)) return turn;
    const excerpt = parts.map((part) => turn.message.parts[part]).filter((part) => part !== undefined);
    return replaceParts(turn, excerpt, parts);
  }

  #synthesize(call: ToolCallPart, turn: OutgoingTurn, partIndex: number): void {
    this.#context.report.addLoss("result-synthesized", toPartPath(turn, partIndex));
    const { toolCallId, toolName, format, tool, extra } = call;
    const result: ToolResultPart = { type: "tool-result", toolCallId, toolName, isError: true, output: NO_RESULT };
    if (format !== undefined) result.format = format;
    if (tool !== undefined) result.tool = tool;
    const id = extra === undefined ? undefined : readForm(call, this.#context.dialect)["id"];
    if (id !== undefined) storeForm(result, this.#context.dialect, "id", id);
    const position = findPartPosition(turn, partIndex);
    const message: Message = { role: "tool", parts: [result] };
    this.#output.push({ message, index: turn.index, positions: [position], isSynthesized: true });
  }

  /**
   * Writes the parts of a tool turn that `#writeResults` has not written. Drops duplicate results, and writes a result
   * without a call as text.
   */
  #writeRemainder(turn: OutgoingTurn): void {
    const remainder: number[] = [];
    for (const [partIndex, part] of turn.message.parts.entries()) {
      if (!isClientResult(part)) remainder.push(partIndex);
      else if (this.#written.has(part)) continue;
      else if (this.#results.get(part.toolCallId)?.result === part || this.#rules.allowsStoredCalls === true)
        remainder.push(partIndex);
      else if (this.#results.has(part.toolCallId)) {
        this.#context.report.addLoss("result-duplicate", toPartPath(turn, partIndex));
      } else {
        if (remainder.length > 0) this.#output.push(this.#excerpt(turn, remainder.splice(0)));
        this.#writeAsText(part, turn, partIndex);
      }
    }
    if (remainder.length > 0) this.#output.push(this.#excerpt(turn, remainder));
  }

  #writeAsText(result: ToolResultPart, turn: OutgoingTurn, partIndex: number): void {
    this.#context.report.addLoss("result-orphan", toPartPath(turn, partIndex));
    const { toolName, toolCallId, content = [] } = result;
    const text = `[Result of ${toolName === "" ? "a tool" : toolName}, call ${toolCallId}] ${formatToolOutput(result)}`;
    const parts: Part[] = [{ type: "text", text: text.trimEnd() }, ...content];
    const position = findPartPosition(turn, partIndex);
    this.#output.push({ message: { role: "user", parts }, index: turn.index, positions: parts.map(() => position) });
  }
}
