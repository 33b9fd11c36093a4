// Encodes a StoredMessage as the JSON body of its row, and decodes the body. A row that cannot be read is reported,
// copied into the quarantine table and skipped (B91).
import { copyObject, parseJson, stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { StoredMessage } from "../../model/message.ts";
import { readMessage, SCHEMA_VERSION } from "../../model/schema-version.ts";
import type { BlobMode } from "../blobs/index.ts";
import { readMarker, restoreBlobs } from "../blobs/index.ts";
import type { MessageRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { isCurrentMessage } from "../shape-predicates.ts";
import { wait } from "../store/steps.ts";
import type { LedgerStore } from "../store/contract.ts";
import { isoTime } from "../iso-time.ts";

/** Returns the message as JSON, without the fields that have their own columns. */
export function encodeBody(message: StoredMessage): string {
  // The fields are set to undefined, because JSON omits undefined values.
  return stringifyJson(Object.assign(copyObject<object>(message), { id: undefined, parentMessageId: undefined }));
}

/**
 * Decodes the message of a row; strings that are stored in blobs are not restored. Throws if the body is not a message
 * of a known schema version.
 */
export function decodeRow({ body, id, parentId }: MessageRow): StoredMessage {
  const value = parseJson(body);
  if (!isObject(value)) return readMessage(value);
  value["id"] = id;
  value["parentMessageId"] = parentId;
  const { metadata } = value;
  const isCurrent = isObject(metadata) && metadata["schemaVersion"] === SCHEMA_VERSION;
  // The cast is safe, because `isCurrentMessage` is compiled from the shape of StoredMessage.
  return isCurrent && isCurrentMessage(value) ? (value as unknown as StoredMessage) : readMessage(value);
}

/**
 * Decodes rows of one tenant, in the given order, and restores their blobs. Unreadable messages are quarantined,
 * reported and skipped.
 */
export async function readMessages(
  scope: LedgerScope,
  rows: readonly MessageRow[],
  blobs: BlobMode = "inline",
): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (const row of rows) {
    try {
      messages.push(decodeRow(row));
    } catch (error) {
      await quarantineRow(scope, row, error instanceof Error ? error.message : String(error));
    }
  }
  const withBlobs = messages.filter((message) => readMarker(message) !== undefined);
  await restoreBlobs(scope, messages, blobs, rows[0]?.threadId);
  // Restored strings may come from an imported file, so the messages that contain them are checked again.
  const invalidIds = new Set(withBlobs.filter((message) => !isCurrentMessage(message)).map(({ id }) => id));
  if (invalidIds.size === 0) return messages;
  for (const row of rows) {
    if (invalidIds.has(row.id))
      await quarantineRow(scope, row, "The message is invalid after its blobs were restored.");
  }
  return messages.filter(({ id }) => !invalidIds.has(id));
}

/** The ids of the rows of each store that this process has quarantined, so that each row is quarantined only once. */
const quarantinedIds = new WeakMap<LedgerStore, Set<string>>();

/** Reports a row that cannot be read, and stores a copy of it with the reason in the quarantine table. */
export async function quarantineRow(scope: LedgerScope, row: MessageRow, reason: string): Promise<void> {
  scope.report({ threadId: row.threadId, messageId: row.id, reason });
  const seen = quarantinedIds.get(scope.store) ?? new Set();
  quarantinedIds.set(scope.store, seen);
  const { tenant, threadId, id: messageId, body } = row;
  const name = JSON.stringify([tenant, threadId, messageId]);
  if (seen.has(name)) return;
  seen.add(name);
  const quarantined = { tenant, threadId, messageId, reason, body, foundAt: isoTime(scope.now()) };
  try {
    await scope.store.write(function* quarantine(tx) {
      yield* wait(tx.quarantine(quarantined));
    });
  } catch {
    // The write fails for a read-only database, for example. The problem was reported above, and the next read of the
    // row tries to quarantine it again.
    seen.delete(name);
  }
}
