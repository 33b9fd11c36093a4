// Decodes Anthropic messages and the system prompt.
import type { JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { ContentDecoder } from "../../blocks/decode-messages.ts";
import { decodeHistory as decodeBlockHistory, decodeMessageList } from "../../blocks/decode-messages.ts";
import { hasOnlyText } from "../../blocks/fields.ts";
import type { DecodeContext } from "../../dialect.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { createDecodeState, decodeBlocks } from "../content/decode-block.ts";
import type { AnthropicDecodeState } from "../content/decode-state.ts";

const CONTENT_DECODER: ContentDecoder<AnthropicDecodeState> = {
  expected: "text or blocks",
  decodeBlocks,
  decodeSystem,
  storeContentForm(message, content, context) {
    if (typeof content !== "string") storeListForm(message, context);
  },
};

/** Decodes a list of messages, or `{ system?, messages }`. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  return decodeMessageList(wire, createDecodeState(context), CONTENT_DECODER);
}

/** Decodes the field `messages`; returns the system messages in `leading` followed by the decoded messages. */
export function decodeHistory(leading: Message[], messages: unknown, state: AnthropicDecodeState): Message[] {
  return decodeBlockHistory(leading, messages, state, CONTENT_DECODER);
}

/** Decodes `system` as a message; returns undefined if it is neither text nor a list of blocks. */
export function decodeSystem(system: JsonValue, state: AnthropicDecodeState): Message[] | undefined {
  if (typeof system === "string") return [{ role: "system", parts: [{ type: "text", text: system }] }];
  if (!Array.isArray(system)) return undefined;
  const message: Message = { role: "system", parts: decodeBlocks(system, "system", state) };
  storeListForm(message, state.context);
  return [message];
}

/**
 * Stores the form `content: "list"` on a message whose content was a list, if the encoder would otherwise write its
 * only text as a string, or omit a `system` without blocks.
 */
function storeListForm(message: Message, { dialect }: DecodeContext): void {
  const [only] = message.parts;
  const couldBeText = message.parts.length === 1 && only?.type === "text" && hasOnlyText(only);
  if (couldBeText || (message.role === "system" && only === undefined)) storeForm(message, dialect, "content", "list");
}
