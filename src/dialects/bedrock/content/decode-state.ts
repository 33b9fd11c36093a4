// Declares the state of one decoding pass over Bedrock messages.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import type { BlockDecodeState } from "../../blocks/decode-state.ts";

export interface BedrockDecodeState extends BlockDecodeState {
  /** Wire ids of the calls that Bedrock itself ran. */
  readonly providerCallIds: Set<string>;
  /** Decodes a nested list of blocks. It is a field, because a direct import of `decode-block.ts` would be circular. */
  readonly decodeBlocks: (list: readonly JsonValue[], key: string, state: BedrockDecodeState) => Part[];
  readonly decodeBlock: (block: JsonObject, state: BedrockDecodeState) => Part;
}
