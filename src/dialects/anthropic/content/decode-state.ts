// Defines the state that is used while Anthropic messages are decoded.
import type { JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import type { BlockDecodeState } from "../../blocks/decode-state.ts";

export interface AnthropicDecodeState extends BlockDecodeState {
  /**
   * Decodes a nested list of blocks. It is a field of the state to avoid a circular import: `decode-block.ts` defines
   * it and imports the decoders that call it.
   */
  readonly decodeBlocks: (list: readonly JsonValue[], key: string, state: AnthropicDecodeState) => Part[];
}
