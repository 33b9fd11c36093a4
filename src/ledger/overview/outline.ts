// A thread's tree in short: who said what after whom, how each message begins, and from where to follow what goes on.
import type { StoredMessage } from "../../model/message.ts";
import { markerOf } from "../blobs/index.ts";
import { decodeRow, setAside } from "../body.ts";
import { justBefore } from "../follow/cursor.ts";
import { activeLeaf } from "../leaf.ts";
import type { MessageRow, RunRow } from "../rows.ts";
import { infoOf } from "../runs/info.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { describe, threadHead, threadKey } from "../threads.ts";
import type { Outline, OutlinedMessage } from "./types.ts";
import { Pace } from "./pace.ts";
import { previewOf, previewOfStored } from "./preview.ts";

/** Rows that are read at a time: bodies can be long. */
const CHUNK = 100;
const PREVIEW = 80;

export async function outline(scope: Scope, threadId: string): Promise<Outline> {
  const key = threadKey(scope, threadId);
  // First of all: what comes while the rest is read is told to whoever follows from here.
  const head = await threadHead(scope, key);
  const { reads } = scope.store;
  const live = await reads.liveRuns(key);
  const superseded = new Set(await reads.runIds(key, "superseded"));
  const upTo = head.newestMessageId ?? "";
  const messages: OutlinedMessage[] = [];
  const pace = new Pace();
  for (let after = ""; after < upTo;) {
    const rows = await reads.messages(key, { after, upTo, limit: CHUNK });
    const apart: Promise<void>[] = [];
    for (const row of rows) {
      const { message, fault = "" } = read(row);
      // Damage is reported, and hides nothing else (B91).
      if (message === undefined) await setAside(scope, row, fault);
      else {
        const told = outlined(message, row.runId, superseded);
        messages.push(told);
        if (markerOf(message) !== undefined) apart.push(previewApart(scope, message, told));
      }
      await pace.rest();
    }
    await Promise.all(apart);
    const last = rows.at(-1);
    // Some may be deleted while this is read.
    if (last === undefined) break;
    after = last.id;
  }
  return {
    thread: describe(scope, head),
    cursor: await cursorBefore(scope, key, live, head.lastId),
    activeLeafId: activeLeaf(head),
    messages,
    runs: live.map((row) => infoOf(row, scope.report)),
  };
}

/** The message as stored, blobs in their blobs; or why it cannot be read. */
function read(row: MessageRow): { message?: StoredMessage; fault?: string } {
  try {
    return { message: decodeRow(row) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** A text that is kept apart is read as far as its beginning. */
async function previewApart(scope: Scope, message: StoredMessage, told: OutlinedMessage): Promise<void> {
  told.preview = await previewOfStored(scope, message, PREVIEW);
}

function outlined(message: StoredMessage, runId: string | null, superseded: ReadonlySet<string>): OutlinedMessage {
  const { id, parentMessageId, role, createdAt, metadata, parts } = message;
  const told: OutlinedMessage = { id, parentMessageId, role, createdAt, preview: previewOf(parts, PREVIEW) };
  if (runId !== null) told.runId = runId;
  if (typeof metadata.model === "string") told.model = metadata.model;
  if (metadata.interrupted === true) told.interrupted = true;
  if (runId !== null && superseded.has(runId)) told.superseded = true;
  const calls: string[] = [];
  let results = 0;
  for (const part of parts) {
    if (part.type === "tool-call") calls.push(part.toolName);
    else if (part.type === "tool-result") results++;
  }
  if (calls.length > 0) told.toolCalls = calls;
  if (results > 0) told.toolResults = results;
  return told;
}

/**
 * A place before everything that the live runs have said, and not among deltas that are gone: whoever followed from there
 * would be refused.
 */
async function cursorBefore(
  { store }: Scope,
  key: ThreadKey,
  live: readonly RunRow[],
  lastId: string,
): Promise<string | null> {
  // Nothing of a run stands before the place that it is named after.
  const first = live.reduce((least, { id }) => (id < least ? id : least), "~");
  let cursor = first <= lastId ? justBefore(first) : lastId;
  for (;;) {
    if (cursor === "") return null;
    const around = await store.reads.compactedRun(key, { after: cursor, upTo: cursor });
    if (around?.firstDeltaId === undefined || around.firstDeltaId === null) return cursor;
    cursor = justBefore(around.firstDeltaId);
  }
}
