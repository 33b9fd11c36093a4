// Decodes Bedrock messages and the system prompt.
import type { JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { ContentDecoder } from "../../blocks/decode-messages.ts";
import { decodeHistory as decodeBlockHistory, decodeMessageList } from "../../blocks/decode-messages.ts";
import type { DecodeContext } from "../../dialect.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { createDecodeState, decodeBlocksWithCachePoints } from "../content/decode-block.ts";
import type { BedrockDecodeState } from "../content/decode-state.ts";

const CONTENT_DECODER: ContentDecoder<BedrockDecodeState> = {
  expected: "blocks",
  decodeBlocks: decodeBlocksWithCachePoints,
  decodeSystem,
  storeContentForm(message, content, { dialect }) {
    if (typeof content === "string") storeForm(message, dialect, "content", "string");
  },
};

/** Decodes a list of messages, or an object `{ system?, messages }`. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  return decodeMessageList(wire, createDecodeState(context), CONTENT_DECODER);
}

/** Decodes the field `messages` and appends the decoded messages to the system messages `leading`. */
export function decodeHistory(leading: Message[], messages: unknown, state: BedrockDecodeState): Message[] {
  return decodeBlockHistory(leading, messages, state, CONTENT_DECODER);
}

/** Decodes the field `system` as one system message; undefined if its value is not a list of blocks. */
export function decodeSystem(system: JsonValue, state: BedrockDecodeState): Message[] | undefined {
  if (!Array.isArray(system)) return undefined;
  const message: Message = { role: "system", parts: decodeBlocksWithCachePoints(system, "system", state) };
  if (system.length === 0) storeForm(message, state.context.dialect, "content", "list");
  return [message];
}
