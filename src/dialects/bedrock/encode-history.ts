// A history on its way out: mended where the target would refuse it, leading system text apart.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { EncodeContext } from "../dialect.ts";
import type { HistoryRules } from "../kit/history.ts";
import { prepareHistory } from "../kit/history.ts";
import { NameBook } from "../kit/names.ts";
import { readForm } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { startWriting } from "./encode-block.ts";
import { reportMessage } from "../kit/two-sides.ts";
import { encodeTurnParts, TurnWriter } from "./encode-turns.ts";
import type { Code } from "./losses.ts";
import type { WireMessage } from "./types.ts";
import type { Writing } from "./writing.ts";

export interface Rules extends HistoryRules {
  /** There may be no messages at all: a stored prompt has its own. */
  isOptional?: boolean;
}

export interface History {
  system: JsonObject[] | undefined;
  messages: WireMessage[];
}

/** What the target takes for ids of calls and names of tools. */
export const NAMES = { fits: /^[a-zA-Z0-9_-]{1,64}$/, odd: /[^a-zA-Z0-9_-]/g, max: 64 } as const;

/** The fragment: a bare list, or with the system text that has no place in it. */
export function encodeMessages(list: readonly Message[], context: EncodeContext<Code>): unknown {
  const names = new NameBook(NAMES, NAMES, context);
  const { system, messages } = encodeHistory(list, startWriting(context, names), {});
  return system === undefined ? messages : { system, messages };
}

/** The history as it goes out; the trail stands at the list of messages. */
export function encodeHistory(list: readonly Message[], writing: Writing, rules: Rules): History {
  const { context } = writing;
  const turns = prepareHistory(list, { noBlankText: true, ...rules }, context);
  let leading = 0;
  while (isLeading(turns[leading], context)) leading++;
  const system = leading === 0 ? undefined : encodeSystem(turns.slice(0, leading), writing);
  const writer = new TurnWriter(list, writing, turns.length - 1);
  for (let at = leading; at < turns.length; at++) writer.add(turns[at] as Turn, at); // Within the length.
  const isNone = rules.isOptional === true && writer.messages.length === 0;
  if (context.repair && !isNone) writer.letUserSpeakFirst();
  return { system, messages: writer.messages };
}

/** Whether a turn is system text that goes to the front: not where it was read in its place, or has fields of its own. */
function isLeading(turn: Turn | undefined, { dialect }: EncodeContext): boolean {
  const message = turn?.message;
  if (message?.role !== "system" && message?.role !== "developer") return false;
  const residue = message.extra?.[dialect];
  if (residue === undefined) return true;
  return readForm(message, dialect)["turn"] !== "own" && Object.keys(residue).every((key) => key === "$form");
}

/** Leading system text, in blocks; undefined where nothing is left of it. */
function encodeSystem(turns: readonly Turn[], writing: Writing): JsonObject[] | undefined {
  const { context } = writing;
  const { report, repair, dialect } = context;
  const blocks: JsonObject[] = [];
  let isList = !repair;
  for (const [at, turn] of turns.entries()) {
    const { message, index } = turn;
    reportMessage(turn, context);
    if (message.role === "developer") report.addLoss("developer-as-system", [index, "role"]);
    const before = blocks.length;
    encodeTurnParts(turn, "system", writing, blocks);
    if (blocks.length > before) {
      if (at > 0) report.addLoss("turns-merged", [index, "role"]);
    } else if (message.extra !== undefined && readForm(message, dialect)["content"] === "list") isList = true;
    else if (message.parts.length > 0 || (turns.length > 1 && !repair)) {
      report.addLoss("message-unsaid", [index, "parts"]);
    } else if (repair) report.addLoss("message-empty", index);
  }
  return blocks.length > 0 || isList ? blocks : undefined;
}
