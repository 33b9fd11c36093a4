// One part in the plain form, or as it once was spelled. What cannot be said is reported.
import type { JsonObject } from "../../model/json.ts";
import type { OpaquePart, Part, RefusalPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import type { Code } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { encodeMedia } from "./media.ts";
import { restoreRest } from "./spelling.ts";
import { encodeReasoning } from "./thinking.ts";
import type { CallNames } from "./tools.ts";
import { encodeCall, encodeResult } from "./tools.ts";
import type { TaggedText } from "./types.ts";

/** What the parts of a message are written with. */
export interface PartWriting {
  names: CallNames;
  /** What the message's own `tool_call_id` will say. */
  callId: string | undefined;
  context: EncodeContext<Code>;
}

/** The wire part; undefined where the part was left out. */
export function encodePart(part: Part, writing: PartWriting): JsonObject | undefined {
  const { names, callId, context } = writing;
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, context);
    case "reasoning":
      return encodeReasoning(part, context);
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, context);
    case "tool-call":
    case "tool-result":
      if (part.executor === "provider") {
        context.report.addLoss("provider-tool");
        return undefined;
      }
      return part.type === "tool-call" ? encodeCall(part, names, context) : encodeResult(part, callId, names, context);
    case "opaque":
      return encodeOpaque(part, context);
    default:
      // Messages from outside may hold parts that the types do not know.
      context.report.addLoss("part-unsayable");
      return undefined;
  }
}

const TEXT: ReadonlySet<string> = new Set(["type", "extra", "text"]);

function encodeText(part: TextPart | RefusalPart, context: EncodeContext<Code>): JsonObject {
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  reportRest(part, TEXT, context);
  const wire: JsonObject = { ...({ kind: "TEXT", text: part.text } satisfies TaggedText) };
  return restoreRest(wire, part, context);
}

/** A verbatim block has room for nothing beside itself, residue included. */
const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

function encodeOpaque(part: OpaquePart, context: EncodeContext<Code>): JsonObject | undefined {
  if (part.dialect !== context.dialect) {
    context.report.addLoss("opaque-foreign");
    return undefined;
  }
  // The decoder puts a whole wire part there; anything else could not be read again.
  const { value } = part;
  if (!isObject(value) || typeof (value["kind"] ?? "") !== "string") {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  reportRest(part, OPAQUE, context);
  return value;
}
