// Encodes a history. Repairs it where Anthropic would reject it, and writes the leading system messages as `system`.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { BlockMessage } from "../../blocks/encode-turns.ts";
import { countLeadingSystem, encodeTurnParts } from "../../blocks/encode-turns.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { HistoryRules } from "../../kit/history/prepare-history.ts";
import { prepareHistory } from "../../kit/history/prepare-history.ts";
import { joinSystemText } from "../../kit/history/system-text.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { reportTurnFields } from "../../kit/history/user-assistant-turns.ts";
import { RenameTable } from "../../kit/tools/tool-renames.ts";
import { addPart, createEncodeState } from "../content/encode-block.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import type { AnthropicLoss } from "../losses.ts";
import { AnthropicTurnWriter } from "./encode-turns.ts";

const RULES: HistoryRules = { noBlankText: true, noTrailingSpace: true };

export interface AnthropicHistory {
  system: string | JsonObject[] | undefined;
  messages: BlockMessage[];
  /**
   * True if the last message has tool results, and the assistant message before it does not start with thinking,
   * because its reasoning was dropped or another provider made its calls (B8).
   */
  endsWithoutThinking: boolean;
}

/** Encodes a history as a list of messages, or as `{ system, messages }` if it has system messages. */
export function encodeMessages(history: readonly Message[], context: EncodeContext<AnthropicLoss>): unknown {
  const names = new RenameTable(CALL_ID_RULE, TOOL_NAME_RULE, context);
  const { system, messages } = encodeHistory(history, createEncodeState(context, names));
  return system === undefined ? messages : { system, messages };
}

export const CALL_ID_RULE = {
  accepted: /^[a-zA-Z0-9_-]+$/,
  invalidCharacters: /[^a-zA-Z0-9_-]/g,
  maxLength: 64,
} as const;
export const TOOL_NAME_RULE = {
  accepted: /^[a-zA-Z0-9_-]{1,128}$/,
  invalidCharacters: /[^a-zA-Z0-9_-]/g,
  maxLength: 128,
} as const;

/** Encodes a history. The path tracker must be at the list of messages. */
export function encodeHistory(history: readonly Message[], state: AnthropicEncodeState): AnthropicHistory {
  const { context } = state;
  const turns = prepareHistory(history, RULES, context);
  const leading = countLeadingSystem(turns, context);
  const system = leading === 0 ? undefined : encodeSystem(turns.slice(0, leading), state);
  const writer = new AnthropicTurnWriter(history, state, turns.length - 1);
  for (let index = leading; index < turns.length; index++) writer.add(turns[index] as OutgoingTurn, index);
  if (context.repair) writer.ensureUserFirst();
  return { system, messages: writer.messages, endsWithoutThinking: writer.endsWithoutThinking() };
}

/** Encodes the leading system messages as one string if possible, and otherwise as blocks. */
function encodeSystem(turns: readonly OutgoingTurn[], state: AnthropicEncodeState): AnthropicHistory["system"] {
  const { context } = state;
  const { report, repair } = context;
  const blocks: JsonObject[] = [];
  const hasSeveral = turns.length > 1;
  for (const turn of turns) {
    reportTurnFields(turn, context);
    if (turn.message.role === "developer") report.addLoss("developer-as-system", [turn.index, "role"]);
    const before = blocks.length;
    encodeTurnParts(turn, "system", state, blocks, addPart);
    if (blocks.length > before) continue;
    if (turn.message.parts.length > 0 || (hasSeveral && !repair)) {
      report.addLoss("message-unsupported", [turn.index, "parts"]);
    } else if (repair) report.addLoss("message-empty", turn.index);
  }
  if (blocks.length === 0 && repair) return undefined;
  const text = blocks.length === 0 ? undefined : joinSystemText(turns, context);
  for (const [position, { index }] of hasSeveral ? turns.entries() : []) {
    if (text !== undefined) report.addLoss("system-joined", [index, "parts"]);
    else if (position > 0) report.addLoss("turns-merged", [index, "role"]);
  }
  return text ?? blocks;
}
