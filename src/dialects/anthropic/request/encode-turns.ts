// Encodes turns as Anthropic messages. Content that consists of one plain text is written as a string.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { BlockContent } from "../../blocks/encode-turns.ts";
import { TurnWriter } from "../../blocks/encode-turns.ts";
import { addPart } from "../content/encode-block.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";

export class AnthropicTurnWriter extends TurnWriter<AnthropicEncodeState> {
  /** True if at least one reasoning part of the last assistant message was dropped. */
  #lostReasoning = false;

  constructor(history: readonly Message[], state: AnthropicEncodeState, lastTurn: number) {
    super(history, state, lastTurn, addPart);
  }

  protected encodeText(text: string, form: JsonObject): BlockContent {
    return form["content"] === "list" ? [{ type: "text", text }] : text;
  }

  protected compactBlocks(blocks: JsonObject[], form: JsonObject): BlockContent {
    const text = blocks.length === 1 && form["content"] === undefined ? findOnlyText(blocks[0]) : undefined;
    return text ?? blocks;
  }

  protected restoreSpelling(content: BlockContent): BlockContent {
    return content;
  }

  protected toBlocks(content: BlockContent | undefined): JsonObject[] {
    return toBlocks(content);
  }

  protected override onTurn(message: Message, role: string, content: BlockContent, isMerged: boolean): void {
    if (role !== "assistant") return;
    this.#lostReasoning = hasLostReasoning(message, content) || (isMerged && this.#lostReasoning);
  }

  /**
   * True if the last message has tool results, and the assistant message before it does not start with thinking,
   * because its reasoning was dropped or another provider made its calls (B8).
   */
  endsWithoutThinking(): boolean {
    const [calls, results] = this.messages.slice(-2).map(({ content }) => toBlocks(content));
    if (calls === undefined || results?.[0]?.["type"] !== "tool_result") return false;
    const first = calls[0]?.["type"];
    if (first === "thinking" || first === "redacted_thinking") return false;
    return this.#lostReasoning || calls.some(isForeignCall);
  }
}

/** Returns the text of a text block without further fields; undefined for any other block. */
function findOnlyText(block: JsonObject = {}): string | undefined {
  const { type, text } = block;
  return type === "text" && typeof text === "string" && Object.keys(block).length === 2 ? text : undefined;
}

/** True if a block is a call that was not made by an Anthropic model, whose call ids start with `toolu_`. */
function isForeignCall({ type, id }: JsonObject): boolean {
  return type === "tool_use" && !(typeof id === "string" && id.startsWith("toolu_"));
}

/**
 * True if a message has more reasoning parts than its encoded content has thinking blocks, because some were dropped.
 */
function hasLostReasoning({ parts }: Message, content: BlockContent): boolean {
  let lost = 0;
  for (const part of parts) if (part.type === "reasoning") lost++;
  if (lost > 0)
    for (const { type } of toBlocks(content)) if (type === "thinking" || type === "redacted_thinking") lost--;
  return lost > 0;
}

function toBlocks(content: BlockContent | undefined): JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}
