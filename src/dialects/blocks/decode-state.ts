// State of one decode of content blocks.
import type { DecodeContext, Renames } from "../dialect.ts";
import type { ToolCallIds } from "../kit/tools/tool-call-ids.ts";

export interface BlockDecodeState {
  readonly context: DecodeContext;
  /** Tool calls so far, by wire id. */
  readonly calls: ToolCallIds;
  /** Renames of the request; set when the decoded value is the reply to it. */
  readonly names: Renames | undefined;
}
