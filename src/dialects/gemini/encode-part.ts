// One part of a content, to the wire.
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isOpaqueFor } from "../kit/opaque.ts";
import { isObject } from "../kit/read.ts";
import { readForm, reportUnsupportedFields } from "../kit/residue.ts";
import { sealOf } from "../kit/seals.ts";
import { encodeCall } from "./calls.ts";
import type { Code } from "./losses.ts";
import { encodeMedia } from "./media.ts";
import { encodeResult } from "./results.ts";
import type { GeminiPart } from "./types.ts";
import type { Writing } from "./writing.ts";
import { writeBeside } from "./writing.ts";

/** A part that is nothing but text, as most are; undefined for every other. Needs no trail: nothing is lost. */
export function encodePlainText(part: Part): GeminiPart | undefined {
  if (part.type !== "text") return undefined;
  for (const key in part) if (key !== "type" && key !== "text") return undefined;
  return { text: part.text };
}

/** The part on the wire; undefined where it is left out, which is reported. */
export function encodePart(part: Part, writing: Writing): GeminiPart | undefined {
  const { context } = writing;
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, writing);
    case "reasoning":
      return encodeThought(part, writing);
    case "image":
    case "audio":
    case "video":
    case "file": {
      const media = encodeMedia(part, context);
      return media && writeBeside(media, part, media.inlineData ? "inlineData" : "fileData", context);
    }
    case "tool-call": {
      const call = encodeCall(part, writing);
      return call && writeBeside({ [call[0]]: call[1] }, part, call[0], context);
    }
    case "tool-result": {
      const result = encodeResult(part, writing, encodePart);
      return result && writeBeside({ [result[0]]: result[1] }, part, result[0], context);
    }
    case "opaque":
      return encodeOpaque(part, context);
    default:
      // Stored messages may hold types of a later Koine.
      context.report.addLoss("part-unsayable");
      return undefined;
  }
}

const TEXT: ReadonlySet<string> = new Set(["type", "text", "extra", "seals"]);
/** The candidate says them of the whole answer. */
const ANSWER_TEXT: ReadonlySet<string> = new Set([...TEXT, "annotations", "logprobs"]);

function encodeText(part: TextPart | RefusalPart, { context, isAnswer }: Writing): GeminiPart {
  reportUnsupportedFields(part, isAnswer ? ANSWER_TEXT : TEXT, context, "field-unsaid", { cache: "bookkeeping" });
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  return writeBeside({ text: part.text }, part, "", context);
}

const THOUGHT: ReadonlySet<string> = new Set(["type", "text", "summary", "extra", "seals"]);

/** Gemini's own thoughts go back to it; those of others only to a client, and never as visible text (B5, B15). */
function encodeThought(part: ReasoningPart, { context, isAnswer }: Writing): GeminiPart | undefined {
  const { text, summary = [] } = part;
  const isOwn = sealOf(part, "signature", context) !== undefined || readForm(part, context.dialect)["thought"] === true;
  if (!isOwn && (!isAnswer || (text === "" && summary.length === 0))) {
    context.report.addLoss("reasoning-unsaid");
    return undefined;
  }
  reportUnsupportedFields(part, THOUGHT, context, "field-unsaid", { cache: "bookkeeping" });
  if (part.summary !== undefined)
    context.report.addLoss(text === "" ? "summary-as-thought" : "field-unsaid", "summary");
  return writeBeside({ text: text === "" ? summary.join("\n\n") : text, thought: true }, part, "", context);
}

function encodeOpaque(part: OpaquePart, context: EncodeContext<Code>): GeminiPart | undefined {
  if (!isOpaqueFor(part, context)) return undefined;
  const { value } = part;
  if (!isObject(value)) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  reportUnsupportedFields(part, OPAQUE, context, "field-unsaid", { cache: "bookkeeping" });
  // Verbatim, whatever it is.
  return value;
}
const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "issuer", "value"]);
