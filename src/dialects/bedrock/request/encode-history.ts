// Encodes a history: leading system messages become `system`, and content that Bedrock would reject is repaired.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { BlockMessage } from "../../blocks/encode-turns.ts";
import { countLeadingSystem, encodeTurnParts } from "../../blocks/encode-turns.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { HistoryRules } from "../../kit/history/prepare-history.ts";
import { prepareHistory } from "../../kit/history/prepare-history.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { reportTurnFields } from "../../kit/history/user-assistant-turns.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { RenameTable } from "../../kit/tools/tool-renames.ts";
import { addPart, createEncodeState } from "../content/encode-block.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import type { BedrockLoss } from "../losses.ts";
import { BedrockTurnWriter } from "./encode-turns.ts";

export interface BedrockHistoryRules extends HistoryRules {
  /** True if the history may be empty, because the request uses a stored prompt. */
  isOptional?: boolean;
}

export interface BedrockHistory {
  system: JsonObject[] | undefined;
  messages: BlockMessage[];
}

/** The rule of Bedrock for call ids and tool names. */
export const NAME_RULE = {
  accepted: /^[a-zA-Z0-9_-]{1,64}$/,
  invalidCharacters: /[^a-zA-Z0-9_-]/g,
  maxLength: 64,
} as const;

/** Encodes a history as a list of messages, or as `{ system, messages }` if it starts with system messages. */
export function encodeMessages(history: readonly Message[], context: EncodeContext<BedrockLoss>): unknown {
  const names = new RenameTable(NAME_RULE, NAME_RULE, context);
  const { system, messages } = encodeHistory(history, createEncodeState(context, names), {});
  return system === undefined ? messages : { system, messages };
}

/** Encodes a history; the path tracker is at the list of messages. */
export function encodeHistory(
  history: readonly Message[],
  state: BedrockEncodeState,
  rules: BedrockHistoryRules,
): BedrockHistory {
  const { context } = state;
  const turns = prepareHistory(history, { noBlankText: true, ...rules }, context);
  const leading = countLeadingSystem(turns, context);
  const system = leading === 0 ? undefined : encodeSystem(turns.slice(0, leading), state);
  const writer = new BedrockTurnWriter(history, state, turns.length - 1);
  for (let index = leading; index < turns.length; index++) writer.add(turns[index] as OutgoingTurn, index);
  const mayBeEmpty = rules.isOptional === true && writer.messages.length === 0;
  if (context.repair && !mayBeEmpty) writer.ensureUserFirst();
  return { system, messages: writer.messages };
}

/**
 * Encodes the leading system messages as blocks. If there are no blocks, returns an empty list without repairs or if
 * the decoded `system` was an empty list, and undefined otherwise.
 */
function encodeSystem(turns: readonly OutgoingTurn[], state: BedrockEncodeState): JsonObject[] | undefined {
  const { context } = state;
  const { report, repair, dialect } = context;
  const blocks: JsonObject[] = [];
  let mayBeEmpty = !repair;
  for (const [position, turn] of turns.entries()) {
    const { message, index } = turn;
    reportTurnFields(turn, context);
    if (message.role === "developer") report.addLoss("developer-as-system", [index, "role"]);
    const before = blocks.length;
    encodeTurnParts(turn, "system", state, blocks, addPart);
    const hadEmptyList = message.extra !== undefined && readForm(message, dialect)["content"] === "list";
    if (blocks.length > before) {
      if (position > 0) report.addLoss("turns-merged", [index, "role"]);
    } else if (hadEmptyList) mayBeEmpty = true;
    else if (message.parts.length > 0 || (turns.length > 1 && !repair)) {
      report.addLoss("message-unsupported", [index, "parts"]);
    } else if (repair) report.addLoss("message-empty", index);
  }
  return blocks.length > 0 || mayBeEmpty ? blocks : undefined;
}
