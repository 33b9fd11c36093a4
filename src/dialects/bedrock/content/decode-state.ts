// State of one decode of Bedrock messages.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import type { BlockDecodeState } from "../../blocks/decode-state.ts";

export interface BedrockDecodeState extends BlockDecodeState {
  /** Wire ids of the calls that the provider ran. */
  readonly providerCallIds: Set<string>;
  /** Decodes a nested list of blocks; a field, because `decode-block.ts` imports the decoders that call it. */
  readonly decodeBlocks: (list: readonly JsonValue[], key: string, state: BedrockDecodeState) => Part[];
  readonly decodeBlock: (block: JsonObject, state: BedrockDecodeState) => Part;
}
