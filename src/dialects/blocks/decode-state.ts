// Declares the state of one decoding pass over content blocks.
import type { DecodeContext, Renames } from "../dialect.ts";
import type { ToolCallIds } from "../kit/tools/tool-call-ids.ts";

export interface BlockDecodeState {
  readonly context: DecodeContext;
  /** The tool calls that have been decoded so far, by wire id. */
  readonly calls: ToolCallIds;
  /** The renames of the request that the decoded value answers; undefined if the decoded value is not a reply. */
  readonly names: Renames | undefined;
}
