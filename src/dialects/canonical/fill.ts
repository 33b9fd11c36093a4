// What a message needs to be stored and a message that was never stored has not: an id, a parent, a time, a version.
import type { Message, StoredMessage } from "../../model/message.ts";
import { SCHEMA_VERSION } from "../../model/version.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import type { CanonicalEncodeContext } from "./losses.ts";

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const EPOCH = "1970-01-01T00:00:00.000Z";

/** A message with whatever it has of a stored one. */
type MaybeStored = Message & Partial<Pick<StoredMessage, "parentMessageId" | "createdAt">>;

function isStored(message: MaybeStored): message is StoredMessage {
  const { id, parentMessageId, createdAt, metadata } = message;
  return (
    typeof id === "string" &&
    (parentMessageId === null || typeof parentMessageId === "string") &&
    typeof createdAt === "string" &&
    typeof metadata?.schemaVersion === "number"
  );
}

/** The same messages as stored ones. What is stored already stays exactly as it is. */
export function fillIn(
  messages: readonly MaybeStored[],
  context: CanonicalEncodeContext,
  options: EncodeMessagesOptions,
): StoredMessage[] {
  const newId = options.newId ?? countingIds(messages);
  let parent: string | null = null;
  return context.trail.each(undefined, messages, (message) => {
    const stored = isStored(message) ? message : complete(message, parent, context, { ...options, newId });
    parent = stored.id;
    return stored;
  });
}

/** ULIDs that count from one at the beginning of time, and are nobody else's in this list. */
function countingIds(messages: readonly MaybeStored[]): () => string {
  const taken = new Set<unknown>(messages.flatMap(({ id, parentMessageId }) => [id, parentMessageId]));
  let next = 0;
  return () => {
    for (;;) {
      const id = String(++next).padStart(26, "0");
      if (!taken.has(id)) return id;
    }
  };
}

type Filling = EncodeMessagesOptions & { newId: () => string };

function complete(
  message: MaybeStored,
  parent: string | null,
  context: CanonicalEncodeContext,
  { newId, clock }: Filling,
): StoredMessage {
  const { report } = context;
  const { metadata } = message;
  let { id, parentMessageId, createdAt } = message;
  if (id === undefined || !ULID.test(id)) {
    report.lose(id === undefined ? "id-synthesized" : "id-replaced", "id");
    id = newId();
  }
  if (parentMessageId === undefined) {
    report.lose("parent-synthesized", "parentMessageId");
    parentMessageId = parent;
  }
  if (createdAt === undefined) {
    report.lose("created-at-synthesized", "createdAt");
    createdAt = knownTime(message) ?? (clock === undefined ? EPOCH : new Date(clock()).toISOString());
  }
  if (metadata?.schemaVersion !== SCHEMA_VERSION) report.lose("version-synthesized", ["metadata", "schemaVersion"]);
  return { ...message, id, parentMessageId, createdAt, metadata: { ...metadata, schemaVersion: SCHEMA_VERSION } };
}

/** Shapes with a timestamp keep it in the metadata. */
function knownTime({ metadata }: MaybeStored): string | undefined {
  const timestamp = metadata?.["timestamp"];
  return typeof timestamp === "string" && ISO_TIME.test(timestamp) ? timestamp : undefined;
}
