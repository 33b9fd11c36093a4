// The public types of following a thread.
import type { JsonObject, MessageDelta, StoredMessage } from "../../model/index.ts";
import type { RunInfo } from "../runs/types.ts";

/** The options of `ledger.follow`. */
export interface FollowOptions {
  threadId: string;
  /** Only this run; the iterator ends when the run ends. */
  runId?: string | undefined;
  /** The cursor of an earlier event. Default: from the beginning. "now": only later events. */
  after?: string | undefined;
  /**
   * True to reject a cursor that is not a position of this thread ("cursor-invalid"). Default: it is a position between
   * two others.
   */
  rejectUnknownCursor?: boolean | undefined;
  /**
   * "throw" (default): throws "cursor-gone" if deltas after the cursor were compacted. "skip": continues after them.
   */
  gaps?: "throw" | "skip" | undefined;
  /** Like `TranscriptOptions.blobs`. */
  blobs?: "inline" | "reference" | undefined;
  signal?: AbortSignal | undefined;
}
/** One event of a thread. Following after its `cursor` continues with the next event. */
export type LedgerEvent =
  | { cursor: string; type: "delta"; runId: string; delta: MessageDelta }
  | { cursor: string; type: "message"; runId?: string; message: StoredMessage }
  | { cursor: string; type: "run"; runId: string; run: RunInfo }
  | { cursor: string; type: "entry"; entry: JsonObject };
