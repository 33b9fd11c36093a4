// Fills in the fields that only stored messages have: id, parent, creation time and schema version.
import type { JsonObject } from "../../model/json/index.ts";
import { copyObject } from "../../model/json/index.ts";
import type { StoredMessage } from "../../model/message.ts";
import { ISO_TIME } from "../../model/validation/message-shapes.ts";
import { isKnownVersion, SCHEMA_VERSION, upgradeMessage } from "../../model/schema-version.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import type { MessageIds, PossiblyStoredMessage } from "./message-ids.ts";
import { assignIds } from "./message-ids.ts";
import type { CanonicalEncodeContext } from "./losses.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";
const TIME = new RegExp(ISO_TIME);

type StoredFields = Pick<StoredMessage, "id" | "parentMessageId" | "createdAt">;
type CurrentMessage = PossiblyStoredMessage & Pick<StoredMessage, "metadata">;

/**
 * Returns the messages as stored messages. A message that is already stored in the current version is returned
 * unchanged.
 */
export function toStoredMessages(
  messages: readonly PossiblyStoredMessage[],
  context: CanonicalEncodeContext,
  options: EncodeMessagesOptions,
): StoredMessage[] {
  const ids = assignIds(messages, options.newId);
  return context.pathTracker.each(undefined, messages, (message, index) => {
    const storedFields: StoredFields = {
      id: ids.ids[index] ?? "",
      parentMessageId: findParentId(message, ids, index),
      createdAt: findCreationTime(message, options),
    };
    reportStoredFields(message, storedFields, context);
    const current = toCurrentVersion(message, context);
    if (hasStoredFields(current, storedFields)) return current;
    return Object.assign(current === message ? copyObject(current) : current, storedFields);
  });
}

function hasStoredFields(
  message: CurrentMessage,
  { id, parentMessageId, createdAt }: StoredFields,
): message is CurrentMessage & StoredFields {
  return message.id === id && message.parentMessageId === parentMessageId && message.createdAt === createdAt;
}

/** Returns the current id of the parent. A message without a parent field has the previous message as its parent. */
function findParentId({ parentMessageId }: PossiblyStoredMessage, ids: MessageIds, index: number): string | null {
  if (typeof parentMessageId === "string") return ids.currentId(parentMessageId);
  return parentMessageId === null ? null : (ids.ids[index - 1] ?? null);
}

/**
 * Returns the creation time: `createdAt`; else the metadata's timestamp, which some dialects decode; else the time of
 * `clock`, or 1970-01-01 without a clock.
 */
function findCreationTime({ createdAt, metadata }: PossiblyStoredMessage, { clock }: EncodeMessagesOptions): string {
  if (typeof createdAt === "string") return createdAt;
  const timestamp = metadata?.["timestamp"];
  if (typeof timestamp === "string" && TIME.test(timestamp)) return timestamp;
  return clock === undefined ? EPOCH : new Date(clock()).toISOString();
}

/** Reports one note for all fields that were filled in, and one note for each replaced id or parent id. */
function reportStoredFields(
  message: PossiblyStoredMessage,
  storedFields: StoredFields,
  { report }: CanonicalEncodeContext,
): void {
  const { id, parentMessageId } = message;
  if (id !== undefined && id !== storedFields.id) report.addLoss("id-replaced", "id");
  if (parentMessageId !== undefined && parentMessageId !== storedFields.parentMessageId) {
    report.addLoss("parent-replaced", "parentMessageId");
  }
  const missing = missingField(message);
  if (missing !== undefined) report.addLoss("stored-fields-synthesized", missing);
}

/**
 * Returns the path of the first missing field, at which one note for all missing fields is reported; undefined if none
 * is missing. A loss covers all data at its path, and a missing field has none.
 */
function missingField({ id, parentMessageId, createdAt, metadata }: PossiblyStoredMessage): string[] | undefined {
  if (typeof createdAt !== "string") return ["createdAt"];
  if (parentMessageId === undefined) return ["parentMessageId"];
  if (metadata?.schemaVersion === undefined) return ["metadata", "schemaVersion"];
  return id === undefined ? ["id"] : undefined;
}

/**
 * Upgrades a message of an older schema version, as the decoder does. A missing or unknown version is replaced by the
 * current version, and an unknown version is reported.
 */
function toCurrentVersion(message: PossiblyStoredMessage, { report }: CanonicalEncodeContext): CurrentMessage {
  const { metadata } = message;
  const schemaVersion = metadata?.schemaVersion;
  // The casts are safe, because messages are JSON and an upgraded message is a message.
  if (isKnownVersion(schemaVersion))
    return upgradeMessage(message as unknown as JsonObject) as unknown as CurrentMessage;
  if (schemaVersion !== undefined) report.addLoss("version-synthesized", ["metadata", "schemaVersion"]);
  const versioned = Object.assign(copyObject(metadata ?? {}), { schemaVersion: SCHEMA_VERSION });
  return Object.assign(copyObject(message), { metadata: versioned });
}
