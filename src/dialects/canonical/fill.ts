// What a message needs to be stored and a message that was never stored has not: an id, a parent, a time, a version.
import type { JsonObject } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { StoredMessage } from "../../model/message.ts";
import { ISO_TIME } from "../../model/shapes.ts";
import { isKnownVersion, SCHEMA_VERSION, upgradeMessage } from "../../model/version.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import type { Ids, MaybeStored } from "./ids.ts";
import { assignIds } from "./ids.ts";
import type { CanonicalEncodeContext } from "./losses.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";
const TIME = new RegExp(ISO_TIME);

type Place = Pick<StoredMessage, "id" | "parentMessageId" | "createdAt">;
type Current = MaybeStored & Pick<StoredMessage, "metadata">;

/** The same messages as stored ones. What is stored already, in the current version, stays exactly as it is. */
export function fillIn(
  messages: readonly MaybeStored[],
  context: CanonicalEncodeContext,
  options: EncodeMessagesOptions,
): StoredMessage[] {
  const ids = assignIds(messages, options.newId);
  return context.pathTracker.each(undefined, messages, (message, index) => {
    const place: Place = {
      id: ids.written[index] ?? "",
      parentMessageId: parentOf(message, ids, index),
      createdAt: timeOf(message, options),
    };
    reportPlace(message, place, context);
    const current = inCurrentVersion(message, context);
    if (isAt(current, place)) return current;
    return Object.assign(current === message ? copyObject(current) : current, place);
  });
}

function isAt(message: Current, { id, parentMessageId, createdAt }: Place): message is Current & Place {
  return message.id === id && message.parentMessageId === parentMessageId && message.createdAt === createdAt;
}

/** The parent under its present id; by default the message before. */
function parentOf({ parentMessageId }: MaybeStored, ids: Ids, index: number): string | null {
  if (typeof parentMessageId === "string") return ids.present(parentMessageId);
  return parentMessageId === null ? null : (ids.written[index - 1] ?? null);
}

/** Shapes with a timestamp keep it in the metadata. */
function timeOf({ createdAt, metadata }: MaybeStored, { clock }: EncodeMessagesOptions): string {
  if (typeof createdAt === "string") return createdAt;
  const timestamp = metadata?.["timestamp"];
  if (typeof timestamp === "string" && TIME.test(timestamp)) return timestamp;
  return clock === undefined ? EPOCH : new Date(clock()).toISOString();
}

/** One note for all that was missing, and one for each id that is gone. */
function reportPlace(message: MaybeStored, place: Place, { report }: CanonicalEncodeContext): void {
  const { id, parentMessageId } = message;
  if (id !== undefined && id !== place.id) report.addLoss("id-replaced", "id");
  if (parentMessageId !== undefined && parentMessageId !== place.parentMessageId) {
    report.addLoss("parent-replaced", "parentMessageId");
  }
  const missing = missingField(message);
  if (missing !== undefined) report.addLoss("stored-fields-synthesized", missing);
}

/** A field that was filled in. Nothing of use stood there, so that a loss in this place covers no other. */
function missingField({ id, parentMessageId, createdAt, metadata }: MaybeStored): string[] | undefined {
  if (typeof createdAt !== "string") return ["createdAt"];
  if (parentMessageId === undefined) return ["parentMessageId"];
  if (metadata?.schemaVersion === undefined) return ["metadata", "schemaVersion"];
  return id === undefined ? ["id"] : undefined;
}

/** An older version is lifted, as in decoding; another number says nothing that is known here. */
function inCurrentVersion(message: MaybeStored, { report }: CanonicalEncodeContext): Current {
  const { metadata } = message;
  const schemaVersion = metadata?.schemaVersion;
  // Messages are JSON, and stay messages when they are lifted.
  if (isKnownVersion(schemaVersion)) return upgradeMessage(message as unknown as JsonObject) as unknown as Current;
  if (schemaVersion !== undefined) report.addLoss("version-synthesized", ["metadata", "schemaVersion"]);
  const versioned = Object.assign(copyObject(metadata ?? {}), { schemaVersion: SCHEMA_VERSION });
  return Object.assign(copyObject(message), { metadata: versioned });
}
