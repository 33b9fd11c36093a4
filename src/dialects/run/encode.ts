// Messages of the model to messages of the run shape. Metadata becomes `runId`, `timestamp` and `meta`.
import type { JsonObject } from "../../model/json.ts";
import type { Message, StoredMessage } from "../../model/message.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import { copyField } from "../read.ts";
import { formOf, reportForeignResidue, reportUncarried } from "../residue.ts";
import { decodeRole } from "./decode.ts";
import type { PartScope } from "./encode-part.ts";
import { encodeParts } from "./encode-part.ts";
import type { RunEncodeContext, RunLoss } from "./losses.ts";
import type { OUTSIDE_META } from "./metadata.ts";
import { isOutsideMeta } from "./metadata.ts";
import { restore, restoreInner, staleForm } from "./residue.ts";
import { RUN_ROLES } from "./types.ts";

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "metadata", "extra"]);
const CARRIED_WITH_TIME: ReadonlySet<string> = new Set([...CARRIED, "createdAt"]);
const FIELD_LOSSES: Readonly<Record<string, RunLoss>> = {
  id: "bookkeeping",
  parentMessageId: "bookkeeping",
  createdAt: "bookkeeping",
};
const EPOCH = "1970-01-01T00:00:00.000Z";

export function encodeMessages(
  messages: readonly Message[],
  context: RunEncodeContext,
  options: EncodeMessagesOptions,
): JsonObject[] {
  const scope: PartScope = { context, toolNames: new Map() };
  return context.trail.each(undefined, messages, (message) => encodeMessage(message, scope, options));
}

function encodeMessage(message: Message, scope: PartScope, { clock }: EncodeMessagesOptions): JsonObject {
  const { context } = scope;
  const wire: JsonObject = {};
  writeRunId(wire, message, context);
  wire["role"] = encodeRole(message, context);
  wire["parts"] = encodeParts("parts", message.parts, scope);
  const createdAt = writeTimestamp(wire, message, context);
  if (wire["timestamp"] === undefined && !isSilent(message, "timestamp", context)) {
    context.report.lose("timestamp-synthesized", ["metadata", "timestamp"]);
    wire["timestamp"] = clock === undefined ? EPOCH : new Date(clock()).toISOString();
  }
  writeMeta(wire, message, context);
  reportUncarried<RunLoss>(message, createdAt ? CARRIED_WITH_TIME : CARRIED, context, "field-unsaid", FIELD_LOSSES);
  reportForeignResidue(message, context);
  restore(wire, message, context, "meta");
  return wire;
}

/** The wire had null or nothing there. */
function isSilent(message: Message, field: (typeof OUTSIDE_META)[number], context: RunEncodeContext): boolean {
  return formOf(message, context.dialect)[field] !== undefined;
}

/** Writes what the metadata says outside of `meta`, or the null that stood there. Whether the field is settled. */
function writeOutside(
  wire: JsonObject,
  message: Message,
  field: (typeof OUTSIDE_META)[number],
  context: RunEncodeContext,
): boolean {
  const value = message.metadata?.[field];
  if (typeof value === "string") {
    if (isSilent(message, field, context)) staleForm(context, field);
    wire[field] = value;
    return true;
  }
  if (formOf(message, context.dialect)[field] === null) wire[field] = null;
  return isSilent(message, field, context);
}

function writeRunId(wire: JsonObject, message: Message, context: RunEncodeContext): void {
  if (writeOutside(wire, message, "runId", context)) return;
  context.report.lose("run-id-synthesized", ["metadata", "runId"]);
  wire["runId"] = "";
}

/** Whether the time of storage stands for the timestamp. */
function writeTimestamp(wire: JsonObject, message: Message, context: RunEncodeContext): boolean {
  if (writeOutside(wire, message, "timestamp", context)) return false;
  // A stored message is a message, too.
  const { createdAt } = message as Message & Partial<StoredMessage>;
  if (createdAt === undefined) return false;
  wire["timestamp"] = createdAt;
  return true;
}

function encodeRole(message: Message, context: RunEncodeContext): string {
  const { role } = message;
  const word = formOf(message, context.dialect)["role"];
  if (typeof word === "string") {
    if (decodeRole(word) === role) return word;
    staleForm(context, "role");
  }
  const known = RUN_ROLES.find((each) => each === role);
  if (known !== undefined) return known;
  const nearest = role === "developer" ? "system" : "user";
  context.report.lose("role-approximated", "role", `"${role}" became "${nearest}".`);
  return nearest;
}

function writeMeta(wire: JsonObject, message: Message, context: RunEncodeContext): void {
  const meta: JsonObject = {};
  const metadata = message.metadata ?? {};
  for (const key of Object.keys(metadata)) {
    const isOutside = isOutsideMeta(key) && typeof metadata[key] === "string";
    if (!isOutside && metadata[key] !== undefined) copyField(metadata, key, meta);
  }
  restoreInner(meta, message, context, "meta");
  const spelled = formOf(message, context.dialect)["meta"];
  if (Object.keys(meta).length > 0) {
    if (spelled === null) staleForm(context, "meta");
    wire["meta"] = meta;
  } else if (spelled !== undefined) wire["meta"] = spelled;
}
