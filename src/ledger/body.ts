// Message bodies: a StoredMessage to the JSON of its row and back. A row that cannot be read harms only itself: it is
// set aside in quarantine, reported, and left out (B91).
import { copyObject, parseJson, stringifyJson } from "../model/json.ts";
import { isObject } from "../model/kind.ts";
import type { StoredMessage } from "../model/message.ts";
import { readMessage, SCHEMA_VERSION } from "../model/version.ts";
import type { BlobMode } from "./blobs/index.ts";
import { markerOf, restoreBlobs } from "./blobs/index.ts";
import type { MessageRow } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { isSoundRecord } from "./sound.ts";
import { got } from "./steps.ts";
import type { LedgerStore } from "./store.ts";
import { isoTime } from "./times.ts";

/** The message as JSON, without what the row has columns for. */
export function encodeBody(message: StoredMessage): string {
  // JSON leaves undefined out.
  return stringifyJson(Object.assign(copyObject<object>(message), { id: undefined, parentMessageId: undefined }));
}

/** The message of a row, strings in blobs still in their blobs. Throws where the body is no message of a known version. */
export function decodeRow({ body, id, parentId }: MessageRow): StoredMessage {
  const value = parseJson(body);
  if (!isObject(value)) return readMessage(value);
  value["id"] = id;
  value["parentMessageId"] = parentId;
  const { metadata } = value;
  const isCurrent = isObject(metadata) && metadata["schemaVersion"] === SCHEMA_VERSION;
  // The test was made from the shape of StoredMessage.
  return isCurrent && isSoundRecord(value) ? (value as unknown as StoredMessage) : readMessage(value);
}

/** The messages of rows of one tenant, in their order, without those that cannot be read. */
export async function readRows(
  scope: Scope,
  rows: readonly MessageRow[],
  blobs: BlobMode = "inline",
): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (const row of rows) {
    try {
      messages.push(decodeRow(row));
    } catch (error) {
      await setAside(scope, row, error instanceof Error ? error.message : String(error));
    }
  }
  const light = messages.filter((message) => markerOf(message) !== undefined);
  await restoreBlobs(scope, messages, blobs, rows[0]?.threadId);
  // What was put back may come from a file that somebody else wrote.
  const unsound = new Set(light.filter((message) => !isSoundRecord(message)).map(({ id }) => id));
  if (unsound.size === 0) return messages;
  for (const row of rows) {
    if (unsound.has(row.id)) await setAside(scope, row, "With its blobs put back, it is no message.");
  }
  return messages.filter(({ id }) => !unsound.has(id));
}

/** What was set aside already: once is enough, however often it is read. */
const known = new WeakMap<LedgerStore, Set<string>>();

/** A row that cannot be read is reported, and kept with the reason. */
export async function setAside(scope: Scope, row: MessageRow, reason: string): Promise<void> {
  scope.report({ threadId: row.threadId, messageId: row.id, reason });
  const seen = known.get(scope.store) ?? new Set();
  known.set(scope.store, seen);
  const { tenant, threadId, id: messageId, body } = row;
  const name = JSON.stringify([tenant, threadId, messageId]);
  if (seen.has(name)) return;
  seen.add(name);
  const quarantined = { tenant, threadId, messageId, reason, body, foundAt: isoTime(scope.now()) };
  try {
    await scope.store.write(function* quarantine(tx) {
      yield* got(tx.quarantine(quarantined));
    });
  } catch {
    // A database that cannot be written to can still be read, and the reader has heard of it; the next one tries again.
    seen.delete(name);
  }
}
