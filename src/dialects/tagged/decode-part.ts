// Decodes one content part. A part of an unknown kind, or of a known kind without its data, becomes an opaque part.
import type { JsonObject } from "../../model/json/index.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, describeKind } from "../kit/fields/read-wire.ts";
import { decodeMedia } from "./media.ts";
import { FieldReader } from "./field-reader.ts";
import type { TaggedKind } from "./wire-names.ts";
import { DATA_FIELDS, toDataField, parseKind } from "./wire-names.ts";
import { decodeRedacted, decodeThinking } from "./thinking.ts";
import type { CallNames } from "./tool-parts.ts";
import { decodeCall, decodeResult } from "./tool-parts.ts";

/** The state of decoding the parts of a message. */
export interface TaggedDecodeState {
  names: CallNames;
  /** The `tool_call_id` of a TOOL message; undefined for other messages. */
  callId: string | undefined;
  context: DecodeContext;
}

export function decodePart(wire: JsonObject, state: TaggedDecodeState): Part {
  const { context } = state;
  const wireKind = wire["kind"];
  if (wireKind !== undefined && typeof wireKind !== "string") {
    return context.fail("wrong-type", `Expected a string, found ${describeKind(wireKind)}.`, "kind");
  }
  const kind = wireKind === undefined ? undefined : parseKind(wireKind);
  const part = kind === undefined ? undefined : decodeKind(kind, wire, state);
  return part ?? { type: "opaque", dialect: context.dialect, value: wire };
}

function decodeKind(kind: TaggedKind, wire: JsonObject, state: TaggedDecodeState): Part | undefined {
  const { context } = state;
  if (kind === "REDACTED_THINKING") return decodeRedacted(wire, context);
  const field = toDataField(kind);
  const reader = new FieldReader(wire, context, DATA_FIELDS);
  reader.read("kind");
  const data = reader.read(field);
  if (data === undefined) return undefined;
  let part: Part | undefined;
  if (kind === "TEXT") {
    part = typeof data === "string" ? { type: "text", text: data } : reader.failWrongType("a string", field, data);
  } else if (isObject(data)) {
    part = context.pathTracker.into(field, () => decodeData(kind, data, state));
  } else {
    reader.failWrongType("an object", field, data);
  }
  if (part !== undefined) reader.storeRemaining(part);
  return part;
}

function decodeData(
  kind: Exclude<TaggedKind, "TEXT" | "REDACTED_THINKING">,
  data: JsonObject,
  { names, callId, context }: TaggedDecodeState,
): Part | undefined {
  switch (kind) {
    case "IMAGE":
      return decodeMedia("image", data, context);
    case "AUDIO":
      return decodeMedia("audio", data, context);
    case "DOCUMENT":
      return decodeMedia("file", data, context);
    case "TOOL_CALL":
      return decodeCall(data, names, context);
    case "TOOL_RESULT":
      return decodeResult(data, callId, names, context);
    case "THINKING":
      return decodeThinking(data, context);
  }
}
