// State of one decode, and the loop that decodes a list of content blocks.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { readObject } from "../kit/fields/read-wire.ts";
import type { ToolCallIds } from "../kit/tools/tool-call-ids.ts";

export interface BlockDecodeState {
  readonly context: DecodeContext;
  /** Tool calls so far, by wire id. */
  readonly calls: ToolCallIds;
  /** Renames of the request; set when the decoded value is the reply to it. */
  readonly names: Renames | undefined;
}

/** Decodes the blocks in the field `key` of the current wire object. */
export function decodeBlockList<State extends BlockDecodeState>(
  list: readonly JsonValue[],
  key: string,
  state: State,
  decodeBlock: (block: JsonObject, state: State) => Part,
): Part[] {
  const { context } = state;
  const parts: Part[] = [];
  context.pathTracker.enter(key);
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    parts.push(decodeBlock(readObject(list[index], context), state));
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return parts;
}
