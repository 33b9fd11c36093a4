// Reads the outline of a thread: its tree with previews instead of contents, and the cursor from which to follow the
// thread.
import type { StoredMessage } from "../../model/message.ts";
import { readMarker } from "../blobs/index.ts";
import { decodeRow, quarantineRow } from "../messages/message-body.ts";
import { toPreviousId } from "../follow/cursor.ts";
import { activeLeaf } from "../messages/active-leaf.ts";
import type { MessageRow, RunRow } from "../store/rows.ts";
import { toRunInfo } from "../runs/run-info.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { toThread, requireThreadHead, toThreadKey } from "../threads/threads.ts";
import type { Outline, OutlinedMessage } from "./types.ts";
import { EventLoopYield } from "./event-loop-yield.ts";
import { createPreview, createStoredPreview } from "./preview.ts";

/** The number of rows per read. It is small, because bodies can be long. */
const READ_SIZE = 100;
const PREVIEW_LENGTH = 80;

export async function readOutline(scope: LedgerScope, threadId: string): Promise<Outline> {
  const key = toThreadKey(scope, threadId);
  // The head of the thread, which contains the last id, is read before all other data, so that a reader who follows
  // from the returned cursor receives everything that is written meanwhile.
  const head = await requireThreadHead(scope, key);
  const { reads } = scope.store;
  const live = await reads.liveRuns(key);
  const superseded = new Set(await reads.runIds(key, "superseded"));
  const upTo = head.newestMessageId ?? "";
  const messages: OutlinedMessage[] = [];
  const eventLoop = new EventLoopYield();
  for (let after = ""; after < upTo;) {
    const rows = await reads.messages(key, { after, upTo, limit: READ_SIZE });
    const previews: Promise<void>[] = [];
    for (const row of rows) {
      const { message, fault = "" } = tryDecodeRow(row);
      // A damaged message is reported and omitted; the other messages stay readable (B91).
      if (message === undefined) await quarantineRow(scope, row, fault);
      else {
        const outlined = toOutlinedMessage(message, row.runId, superseded);
        messages.push(outlined);
        if (readMarker(message) !== undefined) previews.push(setPreviewFromBlob(scope, message, outlined));
      }
      await eventLoop.yieldIfDue();
    }
    await Promise.all(previews);
    const last = rows.at(-1);
    // If there are no more rows, the remaining messages up to `upTo` were deleted during the read.
    if (last === undefined) break;
    after = last.id;
  }
  return {
    thread: toThread(scope, head),
    cursor: await findOutlineCursor(scope, key, live, head.lastId),
    activeLeafId: activeLeaf(head),
    messages,
    runs: live.map((row) => toRunInfo(row, scope.report)),
  };
}

/** Returns the message of a row, without restoring its blobs, or the reason why the row cannot be read. */
function tryDecodeRow(row: MessageRow): { message?: StoredMessage; fault?: string } {
  try {
    return { message: decodeRow(row) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Sets the preview of a message whose text is in a blob. */
async function setPreviewFromBlob(
  scope: LedgerScope,
  message: StoredMessage,
  outlined: OutlinedMessage,
): Promise<void> {
  outlined.preview = await createStoredPreview(scope, message, PREVIEW_LENGTH);
}

function toOutlinedMessage(
  message: StoredMessage,
  runId: string | null,
  superseded: ReadonlySet<string>,
): OutlinedMessage {
  const { id, parentMessageId, role, createdAt, metadata, parts } = message;
  const outlined: OutlinedMessage = {
    id,
    parentMessageId,
    role,
    createdAt,
    preview: createPreview(parts, PREVIEW_LENGTH),
  };
  if (runId !== null) outlined.runId = runId;
  if (typeof metadata.model === "string") outlined.model = metadata.model;
  if (metadata.interrupted === true) outlined.interrupted = true;
  if (runId !== null && superseded.has(runId)) outlined.superseded = true;
  const calls: string[] = [];
  let results = 0;
  for (const part of parts) {
    if (part.type === "tool-call") calls.push(part.toolName);
    else if (part.type === "tool-result") results++;
  }
  if (calls.length > 0) outlined.toolCalls = calls;
  if (results > 0) outlined.toolResults = results;
  return outlined;
}

/**
 * Returns a cursor before all deltas of the live runs; null for the beginning of the thread. If this cursor lies among
 * the deltas of a run that were deleted by compaction, the cursor before that run's first delta is returned instead,
 * because a reader could not follow from a deleted delta.
 */
async function findOutlineCursor(
  { store }: LedgerScope,
  key: ThreadKey,
  live: readonly RunRow[],
  lastId: string,
): Promise<string | null> {
  // All rows of a run have larger ids than the run itself, so the id before the smallest id of a live run is before all
  // deltas.
  const first = live.reduce((least, { id }) => (id < least ? id : least), "~");
  let cursor = first <= lastId ? toPreviousId(first) : lastId;
  for (;;) {
    if (cursor === "") return null;
    const compacted = await store.reads.compactedRun(key, { after: cursor, upTo: cursor });
    if (compacted?.firstDeltaId === undefined || compacted.firstDeltaId === null) return cursor;
    cursor = toPreviousId(compacted.firstDeltaId);
  }
}
