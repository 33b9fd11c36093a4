// Decodes messages of the run dialect. `runId`, `timestamp` and the keys of `meta` become metadata.
import { createFieldTable } from "../../assembly/payload-fields.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message, Metadata, Role } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import {
  copyField,
  isObject,
  readList,
  readMessageList,
  readObject,
  readString,
  unknownFields,
} from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";
import type { RunDecodeScope } from "./decode-part.ts";
import { decodePart } from "./decode-part.ts";
import { checkFields, splitFields } from "./fields.ts";
import { isMetadata, OUTSIDE_META } from "./metadata.ts";
import { storeEmptyField } from "./empty-fields.ts";
import { RUN_ROLES } from "./types.ts";

const MESSAGE = createFieldTable(
  { role: "string", parts: "list" },
  { runId: "string", timestamp: "string", meta: "object" },
);

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const scope: RunDecodeScope = { context, toolNames: new Map(), nesting: 0 };
  return context.pathTracker.each(key, list, (each) => decodeMessage(each, scope));
}

function decodeMessage(value: JsonValue, scope: RunDecodeScope): Message {
  const { context } = scope;
  const wire = readObject(value, context);
  checkFields(wire, MESSAGE, context);
  const wireRole = readString(wire, "role", context);
  const role = decodeRole(wireRole);
  const parts = readList(wire["parts"], context);
  const message: Message = { role, parts: context.pathTracker.each("parts", parts, (each) => decodePart(each, scope)) };
  if (wireRole !== role || role === "developer") storeForm(message, context.dialect, "role", wireRole);
  decodeMetadata(wire, message, context.dialect);
  storeResidue(message, context.dialect, splitFields(wire, MESSAGE).unknown);
  return message;
}

/** Returns the canonical role of a wire role; an unknown role becomes "user". */
export function decodeRole(wireRole: string): Role {
  if (wireRole === "developer") return wireRole;
  return RUN_ROLES.find((role) => role === wireRole) ?? "user";
}

function decodeMetadata(wire: JsonObject, message: Message, dialect: string): void {
  const metadata: Metadata = {};
  for (const field of OUTSIDE_META) {
    const value = wire[field];
    if (typeof value === "string") metadata[field] = value;
    else storeEmptyField(message, dialect, field, value);
  }
  const { meta } = wire;
  if (isObject(meta)) {
    const known = Object.keys(meta).filter((key) => isMetadata(key, meta[key]));
    for (const key of known) copyField(meta, key, metadata);
    storeResidue(message, dialect, unknownFields(meta, new Set(known)), "meta");
  }
  // By default the encoder writes no `meta` if it is empty, so null and an empty object are stored as forms.
  if (meta === null || (isObject(meta) && Object.keys(meta).length === 0)) storeForm(message, dialect, "meta", meta);
  if (Object.keys(metadata).length > 0) message.metadata = metadata;
}
