// Encodes turns as Bedrock messages. The content is a list of blocks, or a string if it was decoded from a string.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { BlockContent } from "../../blocks/encode-turns.ts";
import { TurnWriter } from "../../blocks/encode-turns.ts";
import { addPart } from "../content/encode-block.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";

export class BedrockTurnWriter extends TurnWriter<BedrockEncodeState> {
  constructor(history: readonly Message[], state: BedrockEncodeState, lastTurn: number) {
    super(history, state, lastTurn, addPart);
  }

  protected encodeText(text: string): BlockContent {
    return [{ text }];
  }

  protected compactBlocks(blocks: JsonObject[]): BlockContent {
    return blocks;
  }

  protected restoreSpelling(content: BlockContent, form: JsonObject): BlockContent {
    const [only] = content;
    const canBeString = form["content"] === "string" && content.length === 1 && typeof only === "object";
    return canBeString && typeof only["text"] === "string" ? only["text"] : content;
  }

  protected toBlocks(content: BlockContent | undefined): JsonObject[] {
    return typeof content === "string" ? [{ text: content }] : (content ?? []);
  }
}
