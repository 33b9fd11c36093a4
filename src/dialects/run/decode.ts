// Messages of the run shape to messages of the model. `runId`, `timestamp` and the keys of `meta` become metadata.
import { fields } from "../../assembly/payload-fields.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Metadata, Role } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, readList, readMessageList, readObject, readString, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import type { PartScope } from "./decode-part.ts";
import { decodePart } from "./decode-part.ts";
import { check, sift } from "./fields.ts";
import { isMetadata, OUTSIDE_META } from "./metadata.ts";
import { keepSilence } from "./silence.ts";
import { RUN_ROLES } from "./types.ts";

const MESSAGE = fields({ role: "string", parts: "list" }, { runId: "string", timestamp: "string", meta: "object" });

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const scope: PartScope = { context, toolNames: new Map(), nesting: 0 };
  return context.pathTracker.each(key, list, (each) => decodeMessage(each, scope));
}

function decodeMessage(value: JsonValue, scope: PartScope): Message {
  const { context } = scope;
  const wire = readObject(value, context);
  check(wire, MESSAGE, context);
  const word = readString(wire, "role", context);
  const role = decodeRole(word);
  const parts = readList(wire["parts"], context);
  const message: Message = { role, parts: context.pathTracker.each("parts", parts, (each) => decodePart(each, scope)) };
  if (word !== role || role === "developer") storeForm(message, context.dialect, "role", word);
  decodeMetadata(wire, message, context.dialect);
  storeResidue(message, context.dialect, sift(wire, MESSAGE).rest);
  return message;
}

/** The role of a word on the wire; what is no role here is the user's. */
export function decodeRole(word: string): Role {
  if (word === "developer") return word;
  return RUN_ROLES.find((role) => role === word) ?? "user";
}

function decodeMetadata(wire: JsonObject, message: Message, dialect: string): void {
  const metadata: Metadata = {};
  for (const field of OUTSIDE_META) {
    const value = wire[field];
    if (typeof value === "string") metadata[field] = value;
    else keepSilence(message, dialect, field, value);
  }
  const { meta } = wire;
  if (isObject(meta)) {
    const known = Object.keys(meta).filter((key) => isMetadata(key, meta[key]));
    for (const key of known) copyField(meta, key, metadata);
    storeResidue(message, dialect, unknownFields(meta, new Set(known)), "meta");
  }
  // No meta at all is the plain form of having nothing to say there.
  if (meta === null || (isObject(meta) && Object.keys(meta).length === 0)) storeForm(message, dialect, "meta", meta);
  if (Object.keys(metadata).length > 0) message.metadata = metadata;
}
