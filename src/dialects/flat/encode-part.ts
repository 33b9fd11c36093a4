// One part of a message, on its way into the slot of the flat message where it belongs.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { reportForeignResidue } from "../residue.ts";
import type { Encoding } from "./calls.ts";
import { encodeCall } from "./calls.ts";
import { Hints, withoutFields } from "./hints.ts";
import { encodeMedia } from "./media.ts";
import type { Slot } from "./names.ts";
import { ANTHROPIC, GEMINI } from "./names.ts";
import { encodeOpaque, isOpaqueBlock } from "./opaque.ts";
import { encodeText, reportUnsaid } from "./parts.ts";
import { encodeResult } from "./results.ts";
import { reportSeals, sendableSeal } from "./seals.ts";
import { claudeSeals, encodeReasoning } from "./thinking.ts";

interface Written {
  slot: Slot | "result";
  /** What stands in the slot; of a result, the tool message. Nothing for redacted reasoning. */
  item?: JsonObject;
  /** What stands among the thinking blocks. */
  block?: JsonValue;
}

/** A part that was written, and what is still to be said about it. */
export interface Piece extends Written {
  /** Its place among the parts. */
  index: number;
  hints: Hints;
  signature: string | undefined;
}

/** What a part's message says about it. */
export interface Surroundings {
  message: Message;
  /** The message's place in the list. */
  position: number;
  /** Reasoning is written as thinking blocks too. */
  listed: boolean;
}

/** Writes the part in hand; undefined, and reported, where it cannot be said. */
export function encodePart(part: Part, index: number, around: Surroundings, encoding: Encoding): Piece | undefined {
  const { context } = encoding;
  const hints = new Hints(part);
  const written = writePart(part, hints, around, encoding);
  if (written === undefined) return undefined;
  const thought = sendableSeal(part, GEMINI, "signature", context);
  const { signature, redacted } = part.type === "reasoning" ? claudeSeals(part, context) : {};
  reportSeals(part, [thought, signature, redacted], context);
  reportUnsaid(part, context);
  const inBlocks = around.listed && part.type === "reasoning";
  reportForeignResidue(inBlocks ? withoutFields(part, ANTHROPIC) : part, context);
  return { ...written, index, hints, signature: thought?.value };
}

function writePart(part: Part, hints: Hints, around: Surroundings, encoding: Encoding): Written | undefined {
  const { context } = encoding;
  switch (part.type) {
    case "text":
      return { slot: "content", item: encodeText(part, context) };
    case "refusal":
      return { slot: "refusal", item: encodeText(part, context) };
    case "reasoning":
      return { slot: "reasoning", ...encodeReasoning(part, around.listed, hints, context) };
    case "image":
    case "audio":
    case "video":
    case "file": {
      const item = encodeMedia(part, hints, context);
      return item === undefined ? undefined : { slot: "content", item };
    }
    case "tool-call":
    case "tool-result":
      return writeTool(part, hints, around, encoding);
    case "opaque":
      return writeOpaque(part, hints, around.listed, encoding);
    default:
      context.report.lose("part-unsayable");
      return undefined;
  }
}

function writeTool(
  part: Part & { type: "tool-call" | "tool-result" },
  hints: Hints,
  { message, position }: Surroundings,
  encoding: Encoding,
): Written | undefined {
  if (part.executor === "provider") {
    encoding.context.report.lose("provider-executed");
    return undefined;
  }
  return part.type === "tool-call"
    ? { slot: "tool_calls", item: encodeCall(part, hints, position, encoding) }
    : { slot: "result", item: encodeResult(part, hints, message.id !== undefined, encoding) };
}

function writeOpaque(
  part: Part & { type: "opaque" },
  hints: Hints,
  listed: boolean,
  { context }: Encoding,
): Written | undefined {
  if (isOpaqueBlock(part, hints)) {
    hints.follow("place");
    // The model holds plain JSON values only.
    return { slot: "reasoning", block: part.value as JsonValue };
  }
  const placed = encodeOpaque(part, hints, context);
  if (placed?.slot === "reasoning" && listed) {
    // Beside thinking blocks, `reasoning` must say exactly what they say, or their signatures would not count.
    context.report.lose("part-unsayable");
    return undefined;
  }
  return placed === undefined ? undefined : { slot: placed.slot, item: placed.wire };
}
