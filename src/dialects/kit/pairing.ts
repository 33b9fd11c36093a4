// Every call has exactly one result, where the target looks for it: results are brought to their calls and into their
// order, missing ones are made, repeated ones collapse, and one without a call is said as text (B24, B25).
// What the provider ran itself is never touched.
import type { Message } from "../../model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { Turn } from "./turn.ts";
import { pathOf, placeOf } from "./turn.ts";
import { readForm, storeForm } from "./residue.ts";
import { outputText } from "./results.ts";

export interface PairingRules {
  /** Results may stand anywhere after their calls (Responses); else directly after the turn that called. */
  anywhere?: boolean;
  /** The calls may be stored at the provider: a result without one is legal. */
  stored?: boolean;
  /** Results follow the very message that called, not the run of assistant messages (Chat). */
  perMessage?: boolean;
}

export type PairingLoss =
  | "result-synthesized"
  | "result-duplicate"
  | "result-orphan"
  | "results-reordered"
  | "call-id-repeated"
  | "result-moved";

const NO_RESULT = "No result was recorded for this call.";
const ORDER = "order";

function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.executor !== "provider";
}
function isClientResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result" && part.executor !== "provider";
}

/** The calls that wait for their results, in call order. */
class OpenCalls {
  /** Every id that was called with, and whether it still waits. */
  readonly #waits = new Map<string, boolean>();
  readonly #ids: string[] = [];
  /** All ids before this one are answered. */
  #first = 0;
  count = 0;

  /** Adds the calls of a message; false where an id was called with before. */
  add({ parts }: Message): boolean {
    let isNew = true;
    for (const part of parts) {
      if (!isClientCall(part)) continue;
      if (this.#waits.has(part.toolCallId)) isNew = false;
      if (this.#waits.get(part.toolCallId) === true) continue;
      this.#waits.set(part.toolCallId, true);
      this.#ids.push(part.toolCallId);
      this.count++;
    }
    return isNew;
  }

  /** Takes a call off the list: 0 where it was the first of them, 1 where others waited before it, -1 where it does not wait. */
  take(id: string): -1 | 0 | 1 {
    if (this.#waits.get(id) !== true) return -1;
    this.#waits.set(id, false);
    this.count--;
    const isFirst = this.#ids[this.#first] === id;
    while (this.#first < this.#ids.length && this.#waits.get(this.#ids[this.#first] ?? "") !== true) this.#first++;
    return isFirst ? 0 : 1;
  }
}

/** Notes at decode that results stand in another order than their calls: that is how this wire had them. */
export function noteResultOrder(messages: readonly Message[], dialect: string): void {
  const open = new OpenCalls();
  for (const message of messages) {
    if (message.role === "assistant") open.add(message);
    if (message.role !== "tool") continue;
    for (const part of message.parts) {
      if (isClientResult(part) && open.take(part.toolCallId) > 0) storeForm(message, dialect, ORDER, "own");
    }
  }
}

/** Whether every call is answered once, in its place and in order, and nothing else is. */
function isPaired(turns: readonly Turn[], rules: PairingRules, dialect: string): boolean {
  const open = new OpenCalls();
  for (const { message } of turns) {
    const { role } = message;
    if (role === "tool") {
      const hasOwnOrder = message.extra !== undefined && readForm(message, dialect)[ORDER] === "own";
      const isFree = hasOwnOrder || rules.anywhere === true;
      for (const part of message.parts) {
        if (!isClientResult(part)) continue;
        const before = open.take(part.toolCallId);
        if (before < 0 ? rules.stored !== true : before > 0 && !isFree) return false;
      }
      continue;
    }
    if (open.count > 0 && rules.anywhere !== true && (role !== "assistant" || rules.perMessage === true)) return false;
    if (role === "assistant" && !open.add(message)) return false;
  }
  return open.count === 0;
}

/** The turns with every call answered once. */
export function pairResults(turns: Turn[], rules: PairingRules, context: EncodeContext<PairingLoss>): Turn[] {
  if (isPaired(turns, rules, context.dialect)) return turns;
  return new Pairing(withOwnIds(turns, context), rules, context).mend();
}

/** Turns in which every call has an id of its own: where one was used before, the n-th result belongs to the n-th call. */
function withOwnIds(turns: Turn[], { report }: EncodeContext<PairingLoss>): Turn[] {
  const used = new Map<string, number>();
  const waiting = new Map<string, string[]>();
  const own = (part: Part): string => {
    if (isClientResult(part)) return waiting.get(part.toolCallId)?.shift() ?? part.toolCallId;
    if (!isClientCall(part)) return "";
    const id = part.toolCallId;
    let count = used.get(id) ?? 0;
    let fresh = count === 0 ? id : `${id}_${++count}`;
    while (count > 0 && used.has(fresh)) fresh = `${id}_${++count}`;
    used.set(id, Math.max(1, count));
    used.set(fresh, Math.max(1, used.get(fresh) ?? 0));
    const queue = waiting.get(id);
    if (queue === undefined) waiting.set(id, [fresh]);
    else queue.push(fresh);
    return fresh;
  };
  return turns.map((turn) => {
    let parts: Part[] | undefined;
    for (const [at, part] of turn.message.parts.entries()) {
      const toolCallId = own(part);
      if (!("toolCallId" in part) || toolCallId === "" || toolCallId === part.toolCallId) continue;
      report.addLoss("call-id-repeated", [...pathOf(turn, at), "toolCallId"]);
      (parts ??= [...turn.message.parts])[at] = { ...part, toolCallId };
    }
    return parts === undefined ? turn : { ...turn, message: { ...turn.message, parts } };
  });
}

interface Found {
  turn: Turn;
  /** Which of the turns it is. */
  at: number;
  part: number;
  result: ToolResultPart;
}

function isBefore(a: Found, b: Found): boolean {
  return a.at === b.at ? a.part < b.part : a.at < b.at;
}

class Pairing {
  readonly #turns: readonly Turn[];
  readonly #rules: PairingRules;
  readonly #context: EncodeContext<PairingLoss>;
  /** The first result of each call, by its id. */
  readonly #results = new Map<string, Found>();
  readonly #used = new Set<ToolResultPart>();
  readonly #mended: Turn[] = [];
  #calls: { call: ToolCallPart; turn: Turn; part: number }[] = [];

  constructor(turns: readonly Turn[], rules: PairingRules, context: EncodeContext<PairingLoss>) {
    this.#turns = turns;
    this.#rules = rules;
    this.#context = context;
    const called = new Set<string>();
    for (const [at, turn] of turns.entries()) {
      for (const [part, each] of turn.message.parts.entries()) {
        if (isClientCall(each)) called.add(each.toolCallId);
        // A result before its call answers nothing.
        else if (isClientResult(each) && called.has(each.toolCallId) && !this.#results.has(each.toolCallId)) {
          this.#results.set(each.toolCallId, { turn, at, part, result: each });
        }
      }
    }
  }

  mend(): Turn[] {
    for (const [at, turn] of this.#turns.entries()) {
      if (turn.message.role === "tool") this.#leftovers(turn);
      else this.#mended.push(turn);
      if (turn.message.role !== "assistant") continue;
      for (const [part, call] of turn.message.parts.entries()) {
        if (isClientCall(call)) this.#calls.push({ call, turn, part });
      }
      const goesOn = this.#rules.perMessage !== true && this.#turns[at + 1]?.message.role === "assistant";
      if (!goesOn) this.#answerCalls(at);
    }
    return this.#mended;
  }

  /** The results of the calls so far, in call order, each within the message it came from. */
  #answerCalls(at: number): void {
    const end = this.#endOfResults(at);
    let last: { turn: Turn; parts: number[] } | undefined;
    let previous: Found | undefined;
    const flush = (): void => {
      if (last !== undefined) this.#mended.push(this.#excerpt(last.turn, last.parts));
      last = undefined;
    };
    for (const { call, turn, part } of this.#calls) {
      const found = this.#results.get(call.toolCallId);
      if (this.#rules.anywhere === true && found !== undefined) continue;
      if (found === undefined || this.#used.has(found.result)) {
        flush();
        this.#synthesize(call, turn, part);
        continue;
      }
      this.#used.add(found.result);
      if (last?.turn !== found.turn) flush();
      last ??= { turn: found.turn, parts: [] };
      if (found.at >= end) {
        this.#context.report.addLoss("result-moved", pathOf(found.turn, found.part));
      } else if (previous !== undefined && isBefore(found, previous)) {
        this.#context.report.addLoss("results-reordered", pathOf(found.turn, found.part));
      }
      previous = found;
      last.parts.push(found.part);
    }
    flush();
    this.#calls = [];
  }

  /** Where the run of tool turns ends in which results are expected. */
  #endOfResults(at: number): number {
    let end = at + 1;
    while (this.#turns[end]?.message.role === "tool") end++;
    return end;
  }

  #excerpt(turn: Turn, parts: readonly number[]): Turn {
    if (parts.length === turn.message.parts.length && parts.every((part, at) => part === at)) return turn;
    const chosen = parts.map((part) => turn.message.parts[part]).filter((part) => part !== undefined);
    return {
      message: { ...turn.message, parts: chosen },
      index: turn.index,
      places: parts.map((part) => placeOf(turn, part)),
    };
  }

  #synthesize(call: ToolCallPart, turn: Turn, part: number): void {
    this.#context.report.addLoss("result-synthesized", pathOf(turn, part));
    const { toolCallId, toolName, format, tool, extra } = call;
    const result: ToolResultPart = { type: "tool-result", toolCallId, toolName, isError: true, output: NO_RESULT };
    if (format !== undefined) result.format = format;
    if (tool !== undefined) result.tool = tool;
    const id = extra === undefined ? undefined : readForm(call, this.#context.dialect)["id"];
    if (id !== undefined) storeForm(result, this.#context.dialect, "id", id);
    const place = placeOf(turn, part);
    const message: Message = { role: "tool", parts: [result] };
    this.#mended.push({ message, index: turn.index, places: [place], isMade: true });
  }

  /** What a tool turn holds beside results that have found their calls. */
  #leftovers(turn: Turn): void {
    const rest: number[] = [];
    for (const [part, each] of turn.message.parts.entries()) {
      if (!isClientResult(each)) rest.push(part);
      else if (this.#used.has(each)) continue;
      else if (this.#results.get(each.toolCallId)?.result === each || this.#rules.stored === true) rest.push(part);
      else if (this.#results.has(each.toolCallId)) {
        this.#context.report.addLoss("result-duplicate", pathOf(turn, part));
      } else {
        if (rest.length > 0) this.#mended.push(this.#excerpt(turn, rest.splice(0)));
        this.#asText(each, turn, part);
      }
    }
    if (rest.length > 0) this.#mended.push(this.#excerpt(turn, rest));
  }

  #asText(result: ToolResultPart, turn: Turn, part: number): void {
    this.#context.report.addLoss("result-orphan", pathOf(turn, part));
    const { toolName, toolCallId, content = [] } = result;
    const text = `[Result of ${toolName === "" ? "a tool" : toolName}, call ${toolCallId}] ${outputText(result)}`;
    const parts: Part[] = [{ type: "text", text: text.trimEnd() }, ...content];
    const place = placeOf(turn, part);
    this.#mended.push({ message: { role: "user", parts }, index: turn.index, places: parts.map(() => place) });
  }
}
