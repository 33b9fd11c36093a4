// Fills in the fields that only stored messages have: id, parent, time and version.
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

/** Returns the messages as stored ones. A stored message of the current version stays the same object. */
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

/** Returns the current id of the parent; without a parent field, the previous message is the parent. */
function findParentId({ parentMessageId }: PossiblyStoredMessage, ids: MessageIds, index: number): string | null {
  if (typeof parentMessageId === "string") return ids.currentId(parentMessageId);
  return parentMessageId === null ? null : (ids.ids[index - 1] ?? null);
}

/** Returns the creation time; shapes with a timestamp store it in the metadata. */
function findCreationTime({ createdAt, metadata }: PossiblyStoredMessage, { clock }: EncodeMessagesOptions): string {
  if (typeof createdAt === "string") return createdAt;
  const timestamp = metadata?.["timestamp"];
  if (typeof timestamp === "string" && TIME.test(timestamp)) return timestamp;
  return clock === undefined ? EPOCH : new Date(clock()).toISOString();
}

/** Reports one note for all missing fields, and one for each replaced id. */
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

/** Returns the path of one field that was filled in. It was empty, so that a loss at this path covers no other value. */
function missingField({ id, parentMessageId, createdAt, metadata }: PossiblyStoredMessage): string[] | undefined {
  if (typeof createdAt !== "string") return ["createdAt"];
  if (parentMessageId === undefined) return ["parentMessageId"];
  if (metadata?.schemaVersion === undefined) return ["metadata", "schemaVersion"];
  return id === undefined ? ["id"] : undefined;
}

/** Upgrades an older version, as decoding does; an unknown version is replaced and reported. */
function toCurrentVersion(message: PossiblyStoredMessage, { report }: CanonicalEncodeContext): CurrentMessage {
  const { metadata } = message;
  const schemaVersion = metadata?.schemaVersion;
  // Messages are JSON, and an upgraded message is a message.
  if (isKnownVersion(schemaVersion))
    return upgradeMessage(message as unknown as JsonObject) as unknown as CurrentMessage;
  if (schemaVersion !== undefined) report.addLoss("version-synthesized", ["metadata", "schemaVersion"]);
  const versioned = Object.assign(copyObject(metadata ?? {}), { schemaVersion: SCHEMA_VERSION });
  return Object.assign(copyObject(message), { metadata: versioned });
}
