// One content part. A kind that is not known, or a known one without its data, is kept verbatim.
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, kindOf } from "../kit/read.ts";
import { decodeMedia } from "./media.ts";
import { FieldReader } from "./spelling.ts";
import type { Kind } from "./terms.ts";
import { DATA_FIELDS, fieldOf, readKind } from "./terms.ts";
import { decodeRedacted, decodeThinking } from "./thinking.ts";
import type { CallNames } from "./tools.ts";
import { decodeCall, decodeResult } from "./tools.ts";

/** What the parts of a message are read with. */
export interface PartReading {
  names: CallNames;
  /** The call that a TOOL message names. */
  callId: string | undefined;
  context: DecodeContext;
}

export function decodePart(wire: JsonObject, reading: PartReading): Part {
  const { context } = reading;
  const word = wire["kind"];
  if (word !== undefined && typeof word !== "string") {
    return context.fail("wrong-type", `Expected a string, found ${kindOf(word)}.`, "kind");
  }
  const kind = word === undefined ? undefined : readKind(word);
  const part = kind === undefined ? undefined : decodeKind(kind, wire, reading);
  return part ?? { type: "opaque", dialect: context.dialect, value: wire };
}

function decodeKind(kind: Kind, wire: JsonObject, reading: PartReading): Part | undefined {
  const { context } = reading;
  if (kind === "REDACTED_THINKING") return decodeRedacted(wire, context);
  const field = fieldOf(kind);
  const reader = new FieldReader(wire, context, DATA_FIELDS);
  reader.value("kind");
  const data = reader.value(field);
  if (data === undefined) return undefined;
  let part: Part | undefined;
  if (kind === "TEXT") {
    part = typeof data === "string" ? { type: "text", text: data } : reader.wrongType("a string", field, data);
  } else if (isObject(data)) {
    part = context.pathTracker.into(field, () => decodeData(kind, data, reading));
  } else {
    reader.wrongType("an object", field, data);
  }
  if (part !== undefined) reader.keepRest(part);
  return part;
}

function decodeData(
  kind: Exclude<Kind, "TEXT" | "REDACTED_THINKING">,
  data: JsonObject,
  { names, callId, context }: PartReading,
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
