// Declares the public types of `ledger.follow`.
import type { JsonObject, MessageDelta, StoredMessage } from "../../model/index.ts";
import type { RunInfo } from "../runs/types.ts";

/** The options of `ledger.follow`. */
export interface FollowOptions {
  threadId: string;
  /** Yields only the events of this run. The iterator ends when the run ends. */
  runId?: string | undefined;
  /**
   * The cursor after which to begin. Default: the beginning of the thread. "now" yields only events after this call.
   */
  after?: string | undefined;
  /**
   * True to reject a cursor that is not a position of this thread with "cursor-invalid". By default, such a cursor is
   * accepted as a position between two events.
   */
  rejectUnknownCursor?: boolean | undefined;
  /**
   * "throw" (default) throws "cursor-gone" if deltas after the cursor were compacted (deleted after the end of their
   * run); "skip" continues after the compacted deltas.
   */
  gaps?: "throw" | "skip" | undefined;
  /** The way contents in blobs are returned, as in `TranscriptOptions.blobs`. */
  blobs?: "inline" | "reference" | undefined;
  signal?: AbortSignal | undefined;
}
/** One event of a thread. Following after its `cursor` continues with the next event. */
export type LedgerEvent =
  | { cursor: string; type: "delta"; runId: string; delta: MessageDelta }
  | { cursor: string; type: "message"; runId?: string; message: StoredMessage }
  | { cursor: string; type: "run"; runId: string; run: RunInfo }
  | { cursor: string; type: "entry"; entry: JsonObject };
