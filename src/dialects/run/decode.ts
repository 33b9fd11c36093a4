// Messages of the run shape to messages of the model. `runId`, `timestamp` and the keys of `meta` become metadata.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Metadata, Role } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, kindOf, readList, readMessageList, readObject, readString, restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import type { PartScope } from "./decode-part.ts";
import { decodePart } from "./decode-part.ts";
import { isMetadata, isOutsideMeta, OUTSIDE_META } from "./metadata.ts";
import { keepInner } from "./residue.ts";
import { RUN_ROLES } from "./types.ts";

const MESSAGE_KEYS: ReadonlySet<string> = new Set(["runId", "role", "parts", "timestamp", "meta"]);

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const scope: PartScope = { context, toolNames: new Map(), nesting: 0 };
  return context.trail.each(key, list, (each) => decodeMessage(each, scope));
}

function decodeMessage(value: JsonValue, scope: PartScope): Message {
  const { context } = scope;
  const wire = readObject(value, context);
  const word = readString(wire, "role", context);
  const role = decodeRole(word);
  const parts = readList(wire["parts"], context, "parts");
  const message: Message = { role, parts: context.trail.each("parts", parts, (each) => decodePart(each, scope)) };
  if (word !== role || role === "developer") keepForm(message, context.dialect, "role", word);
  decodeMetadata(wire, message, context);
  keepFields(message, context.dialect, restOf(wire, MESSAGE_KEYS));
  return message;
}

/** The role of a word on the wire; what is no role here is the user's. */
export function decodeRole(word: string): Role {
  if (word === "developer") return word;
  return RUN_ROLES.find((role) => role === word) ?? "user";
}

function decodeMetadata(wire: JsonObject, message: Message, context: DecodeContext): void {
  const metadata: Metadata = {};
  for (const field of OUTSIDE_META) {
    const value = wire[field];
    if (typeof value === "string") metadata[field] = value;
    else if (value === undefined || value === null) {
      keepForm(message, context.dialect, field, value === null ? null : "absent");
    } else context.fail("wrong-type", `Expected a string, found ${kindOf(value)}.`, field);
  }
  const { meta } = wire;
  if (isObject(meta)) {
    for (const key of Object.keys(meta)) if (isMetadata(key, meta[key])) copyField(meta, key, metadata);
    keepInner(
      message,
      context.dialect,
      "meta",
      restOf(meta, new Set(Object.keys(metadata).filter((key) => !isOutsideMeta(key)))),
    );
    if (Object.keys(meta).length === 0) keepForm(message, context.dialect, "meta", {});
  } else if (meta === null) keepForm(message, context.dialect, "meta", null);
  else if (meta !== undefined) context.fail("wrong-type", `Expected an object, found ${kindOf(meta)}.`, "meta");
  if (Object.keys(metadata).length > 0) message.metadata = metadata;
}
