// A history on its way out: mended where the target would refuse it, leading system text apart.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { EncodeContext } from "../dialect.ts";
import type { HistoryRules } from "../kit/history.ts";
import { prepareHistory } from "../kit/history.ts";
import { NameBook } from "../kit/names.ts";
import { readForm } from "../kit/residue.ts";
import { joinedSystem } from "../kit/system.ts";
import type { Turn } from "../kit/turn.ts";
import { startWriting } from "./encode-block.ts";
import { reportMessage } from "../kit/two-sides.ts";
import { encodeTurnParts, TurnWriter } from "./encode-turns.ts";
import type { Code } from "./losses.ts";
import type { WireMessage } from "./types.ts";
import type { Writing } from "./writing.ts";

const RULES: HistoryRules = { noBlankText: true, noTrailingSpace: true };

export interface History {
  system: string | JsonObject[] | undefined;
  messages: WireMessage[];
  /** The turn in progress calls tools, and began with what this dialect's models did not think (B8). */
  isUnsigned: boolean;
}

/** The fragment: a bare list, or with the system text that has no place in it. */
export function encodeMessages(list: readonly Message[], context: EncodeContext<Code>): unknown {
  const names = new NameBook(CALL_IDS, TOOL_NAMES, context);
  const { system, messages } = encodeHistory(list, startWriting(context, names));
  return system === undefined ? messages : { system, messages };
}

export const CALL_IDS = { fits: /^[a-zA-Z0-9_-]+$/, odd: /[^a-zA-Z0-9_-]/g, max: 64 } as const;
export const TOOL_NAMES = { fits: /^[a-zA-Z0-9_-]{1,128}$/, odd: /[^a-zA-Z0-9_-]/g, max: 128 } as const;

/** The history as it goes out; the trail stands at the list of messages. */
export function encodeHistory(list: readonly Message[], writing: Writing): History {
  const { context } = writing;
  const turns = prepareHistory(list, RULES, context);
  let leading = 0;
  while (isLeading(turns[leading], context)) leading++;
  const system = leading === 0 ? undefined : encodeSystem(turns.slice(0, leading), writing);
  const writer = new TurnWriter(list, writing, turns.length - 1);
  for (let at = leading; at < turns.length; at++) writer.add(turns[at] as Turn, at); // Within the length.
  if (context.repair) writer.letUserSpeakFirst();
  return { system, messages: writer.messages, isUnsigned: writer.endsUnsigned() };
}

/** Whether a turn is system text that goes to the front: not where it was read in its place, or has fields of its own. */
function isLeading(turn: Turn | undefined, { dialect }: EncodeContext): boolean {
  const message = turn?.message;
  if (message?.role !== "system" && message?.role !== "developer") return false;
  const residue = message.extra?.[dialect];
  if (residue === undefined) return true;
  return readForm(message, dialect)["turn"] !== "own" && Object.keys(residue).every((key) => key === "$form");
}

/** Leading system text: one string where it can be, else blocks. */
function encodeSystem(turns: readonly Turn[], writing: Writing): History["system"] {
  const { context } = writing;
  const { report, repair } = context;
  const blocks: JsonObject[] = [];
  const isMany = turns.length > 1;
  for (const turn of turns) {
    reportMessage(turn, context);
    if (turn.message.role === "developer") report.addLoss("developer-as-system", [turn.index, "role"]);
    const before = blocks.length;
    encodeTurnParts(turn, "system", writing, blocks);
    if (blocks.length > before) continue;
    if (turn.message.parts.length > 0 || (isMany && !repair)) report.addLoss("message-unsaid", [turn.index, "parts"]);
    else if (repair) report.addLoss("message-empty", turn.index);
  }
  if (blocks.length === 0 && repair) return undefined;
  const text = blocks.length === 0 ? undefined : joinedSystem(turns, context);
  for (const [at, { index }] of isMany ? turns.entries() : []) {
    if (text !== undefined) report.addLoss("system-joined", [index, "parts"]);
    else if (at > 0) report.addLoss("turns-merged", [index, "role"]);
  }
  return text ?? blocks;
}
