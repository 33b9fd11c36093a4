// Messages of the model to messages of the run shape. Metadata becomes `runId`, `timestamp` and `meta`.
import type { Clock } from "../../assembly/stamp.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Message, StoredMessage } from "../../model/message.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import { copyField } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import { decodeRole } from "./decode.ts";
import type { PartScope } from "./encode-part.ts";
import { encodeParts, reportRest } from "./encode-part.ts";
import type { RunEncodeContext } from "./losses.ts";
import type { OUTSIDE_META } from "./metadata.ts";
import { reportStale, respell } from "./silence.ts";

const CARRIED = ["role", "parts", "metadata", "extra"];

/** The time of a clock, or of none. */
export function timeOf(clock: Clock | undefined): string {
  return new Date(clock?.() ?? 0).toISOString();
}

export function encodeMessages(
  messages: readonly Message[],
  context: RunEncodeContext,
  options: EncodeMessagesOptions,
): JsonObject[] {
  const scope: PartScope = { context, toolNames: new Map() };
  return context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, scope, options));
}

function encodeMessage(message: Message, scope: PartScope, { runId, clock }: EncodeMessagesOptions): JsonObject {
  const { context } = scope;
  // A stored message is a message, too.
  const { createdAt } = message as Message & Partial<StoredMessage>;
  const carried = new Set(CARRIED);
  const meta = copyMetadata(message);
  const wire: JsonObject = {
    runId: runId ?? "",
    role: encodeRole(message, context),
    parts: encodeParts("parts", message.parts, scope),
  };
  if (!takeOut(meta, "runId", wire, message, context) && runId === undefined) {
    context.report.addLoss("run-id-synthesized", ["metadata", "runId"]);
  }
  if (!takeOut(meta, "timestamp", wire, message, context)) {
    if (createdAt !== undefined) carried.add("createdAt");
    else if (clock === undefined) context.report.addLoss("timestamp-synthesized", ["metadata", "timestamp"]);
    wire["timestamp"] = createdAt ?? timeOf(clock);
  }
  reportRest(message, carried, context);
  wire["meta"] = meta;
  restoreResidue(wire, message, context, "meta");
  const isEmpty = Object.keys(meta).length === 0;
  if (!respell(wire, "meta", isEmpty, message, context) && isEmpty) delete wire["meta"];
  return wire;
}

function copyMetadata({ metadata = {} }: Message): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(metadata)) if (metadata[key] !== undefined) copyField(metadata, key, copy);
  return copy;
}

/** Moves what the wire says outside of `meta`, or puts back what stood in its place; whether there was anything. */
function takeOut(
  meta: JsonObject,
  field: (typeof OUTSIDE_META)[number],
  wire: JsonObject,
  message: Message,
  context: RunEncodeContext,
): boolean {
  const value = meta[field];
  const isSaid = typeof value === "string";
  if (isSaid) {
    wire[field] = value;
    delete meta[field];
  }
  return respell(wire, field, !isSaid, message, context) || isSaid;
}

function encodeRole(message: Message, context: RunEncodeContext): string {
  const { role } = message;
  const word = readForm(message, context.dialect)["role"];
  if (typeof word === "string") {
    if (decodeRole(word) === role) return word;
    reportStale(context, "role");
  }
  const nearest = role === "developer" ? "system" : decodeRole(role);
  if (nearest !== role) context.report.addLoss("role-approximated", "role", `"${role}" became "${nearest}".`);
  return nearest;
}
