// Encodes messages of the run dialect. Metadata becomes `runId`, `timestamp` and `meta`.
import type { Clock } from "../../assembly/stamp.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Message, StoredMessage } from "../../model/message.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import { copyField } from "../kit/fields/read-wire.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { decodeRole } from "./decode.ts";
import type { RunEncodeScope } from "./encode-part.ts";
import { encodeParts, reportRunFields } from "./encode-part.ts";
import type { RunEncodeContext } from "./losses.ts";
import type { OUTSIDE_META } from "./metadata.ts";
import { reportStaleForm, restoreEmptyField } from "./empty-fields.ts";

const SUPPORTED = ["role", "parts", "metadata", "extra"];

/** Returns the current time of a clock in ISO 8601; without a clock, 1970-01-01. */
export function formatClockTime(clock: Clock | undefined): string {
  return new Date(clock?.() ?? 0).toISOString();
}

export function encodeMessages(
  messages: readonly Message[],
  context: RunEncodeContext,
  options: EncodeMessagesOptions,
): JsonObject[] {
  const scope: RunEncodeScope = { context, toolNames: new Map() };
  return context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, scope, options));
}

function encodeMessage(message: Message, scope: RunEncodeScope, { runId, clock }: EncodeMessagesOptions): JsonObject {
  const { context } = scope;
  // The cast is safe, because it only adds optional fields: the message may be a stored message, which has `createdAt`.
  const { createdAt } = message as Message & Partial<StoredMessage>;
  const supported = new Set(SUPPORTED);
  const meta = copyMetadata(message);
  const wire: JsonObject = {
    runId: runId ?? "",
    role: encodeRole(message, context),
    parts: encodeParts("parts", message.parts, scope),
  };
  if (!moveOutOfMeta(meta, "runId", wire, message, context) && runId === undefined) {
    context.report.addLoss("run-id-synthesized", ["metadata", "runId"]);
  }
  if (!moveOutOfMeta(meta, "timestamp", wire, message, context)) {
    if (createdAt !== undefined) supported.add("createdAt");
    else if (clock === undefined) context.report.addLoss("timestamp-synthesized", ["metadata", "timestamp"]);
    wire["timestamp"] = createdAt ?? formatClockTime(clock);
  }
  reportRunFields(message, supported, context);
  wire["meta"] = meta;
  restoreResidue(wire, message, context, "meta");
  const isEmpty = Object.keys(meta).length === 0;
  if (!restoreEmptyField(wire, "meta", isEmpty, message, context) && isEmpty) delete wire["meta"];
  return wire;
}

function copyMetadata({ metadata = {} }: Message): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(metadata)) if (metadata[key] !== undefined) copyField(metadata, key, copy);
  return copy;
}

/**
 * Moves a key from `meta` to the wire message, or restores the stored null or absence of that field. Returns false if
 * there is neither a value nor a stored form.
 */
function moveOutOfMeta(
  meta: JsonObject,
  field: (typeof OUTSIDE_META)[number],
  wire: JsonObject,
  message: Message,
  context: RunEncodeContext,
): boolean {
  const value = meta[field];
  const hasValue = typeof value === "string";
  if (hasValue) {
    wire[field] = value;
    delete meta[field];
  }
  return restoreEmptyField(wire, field, !hasValue, message, context) || hasValue;
}

function encodeRole(message: Message, context: RunEncodeContext): string {
  const { role } = message;
  const storedRole = readForm(message, context.dialect)["role"];
  if (typeof storedRole === "string") {
    if (decodeRole(storedRole) === role) return storedRole;
    reportStaleForm(context, "role");
  }
  const nearest = role === "developer" ? "system" : decodeRole(role);
  if (nearest !== role) context.report.addLoss("role-approximated", "role", `"${role}" became "${nearest}".`);
  return nearest;
}
