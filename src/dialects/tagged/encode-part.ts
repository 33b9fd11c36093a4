// Encodes one part, in its stored form or else in the default spelling; a part that is not supported is dropped and
// reported.
import type { JsonObject } from "../../model/json/index.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type { OpaquePart, Part, RefusalPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import type { TaggedLossCode } from "./losses.ts";
import { reportTaggedFields } from "./losses.ts";
import { encodeMedia } from "./media.ts";
import { restoreRemaining } from "./field-reader.ts";
import { encodeReasoning } from "./thinking.ts";
import type { CallNames } from "./tool-parts.ts";
import { encodeCall, encodeResult } from "./tool-parts.ts";
import type { TaggedText } from "./types.ts";

/** The state of encoding the parts of a message. */
export interface TaggedEncodeState {
  names: CallNames;
  /** The `tool_call_id` of the message itself; undefined if the message has none. */
  callId: string | undefined;
  context: EncodeContext<TaggedLossCode>;
}

/** Encodes a part; undefined, with a loss, if the part is not supported. */
export function encodePart(part: Part, state: TaggedEncodeState): JsonObject | undefined {
  const { names, callId, context } = state;
  if (isMediaPart(part)) return encodeMedia(part, context);
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, context);
    case "reasoning":
      return encodeReasoning(part, context);
    case "tool-call":
    case "tool-result":
      if (part.executor === "provider") {
        context.report.addLoss("provider-tool-unsupported");
        return undefined;
      }
      return part.type === "tool-call" ? encodeCall(part, names, context) : encodeResult(part, callId, names, context);
    case "opaque":
      return encodeOpaque(part, context);
    default:
      // Messages of callers can contain part types that this version does not know.
      context.report.addLoss("part-unsupported");
      return undefined;
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "extra", "text"]);

function encodeText(part: TextPart | RefusalPart, context: EncodeContext<TaggedLossCode>): JsonObject {
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  reportTaggedFields(part, TEXT_FIELDS, context);
  const wire: JsonObject = { ...({ kind: "TEXT", text: part.text } satisfies TaggedText) };
  return restoreRemaining(wire, part, context);
}

/**
 * The fields of an opaque part that need no loss report. All other fields, even residue, are reported, because the
 * value is written unchanged as the wire part.
 */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

function encodeOpaque(part: OpaquePart, context: EncodeContext<TaggedLossCode>): JsonObject | undefined {
  if (part.dialect !== context.dialect) {
    context.report.addLoss("opaque-not-portable");
    return undefined;
  }
  // The decoder stores a complete wire part as the value: an object whose `kind` is a string or missing. Any other
  // value could not be decoded again.
  const { value } = part;
  if (!isObject(value) || typeof (value["kind"] ?? "") !== "string") {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  reportTaggedFields(part, OPAQUE_FIELDS, context);
  return value;
}
