// Encodes one part of a Gemini content.
import { isMediaPart } from "../../../model/media-part.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { canSendOpaque } from "../../kit/residue/opaque-parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { findSealValue } from "../../kit/seals/seals.ts";
import { encodeToolCall } from "./tool-calls.ts";
import type { GeminiLossCode } from "../losses.ts";
import { encodeMedia } from "./media.ts";
import { encodeToolResult } from "./tool-results.ts";
import type { GeminiPart } from "../types.ts";
import type { GeminiEncodeState } from "./encode-state.ts";
import { addSealsAndResidue } from "./encode-state.ts";

/**
 * Encodes a part whose only fields are `type` and `text`; returns undefined for other parts. Such a part loses nothing,
 * so the path for losses is not tracked here.
 */
export function encodePlainText(part: Part): GeminiPart | undefined {
  if (part.type !== "text") return undefined;
  for (const key in part) if (key !== "type" && key !== "text") return undefined;
  return { text: part.text };
}

/** Encodes a part; returns undefined for a dropped part, which is reported. */
export function encodePart(part: Part, state: GeminiEncodeState): GeminiPart | undefined {
  const { context } = state;
  if (isMediaPart(part)) {
    const media = encodeMedia(part, context);
    return media && addSealsAndResidue(media, part, media.inlineData ? "inlineData" : "fileData", context);
  }
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, state);
    case "reasoning":
      return encodeThought(part, state);
    case "tool-call": {
      const call = encodeToolCall(part, state);
      return call && addSealsAndResidue({ [call[0]]: call[1] }, part, call[0], context);
    }
    case "tool-result": {
      const result = encodeToolResult(part, state, encodePart);
      return result && addSealsAndResidue({ [result[0]]: result[1] }, part, result[0], context);
    }
    case "opaque":
      return encodeOpaque(part, context);
    default:
      // The type is unknown to this version of Koine: a stored message may have a part type that a later version added.
      context.report.addLoss("part-unsupported");
      return undefined;
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "extra", "seals"]);
/**
 * Fields of a text that an answer supports. Annotations and log probabilities are included, because they are encoded in
 * the candidate, for all texts of the answer together.
 */
const ANSWER_TEXT_FIELDS: ReadonlySet<string> = new Set([...TEXT_FIELDS, "annotations", "logprobs"]);

function encodeText(part: TextPart | RefusalPart, { context, isAnswer }: GeminiEncodeState): GeminiPart {
  reportUnsupportedFields(part, isAnswer ? ANSWER_TEXT_FIELDS : TEXT_FIELDS, context, "field-unsupported", {
    cache: "metadata-dropped",
  });
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  return addSealsAndResidue({ text: part.text }, part, "", context);
}

const THOUGHT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "summary", "extra", "seals"]);

/**
 * Encodes reasoning. A history for Gemini includes only Gemini's own thoughts. An answer to a client includes the
 * thoughts of all models, never as visible text (B5, B15).
 */
function encodeThought(part: ReasoningPart, { context, isAnswer }: GeminiEncodeState): GeminiPart | undefined {
  const { text, summary = [] } = part;
  const isGeminiThought =
    findSealValue(part, "signature", context) !== undefined || readForm(part, context.dialect)["thought"] === true;
  if (!isGeminiThought && (!isAnswer || (text === "" && summary.length === 0))) {
    context.report.addLoss("reasoning-unsupported");
    return undefined;
  }
  reportUnsupportedFields(part, THOUGHT_FIELDS, context, "field-unsupported", { cache: "metadata-dropped" });
  if (part.summary !== undefined)
    context.report.addLoss(text === "" ? "summary-as-thought" : "field-unsupported", "summary");
  return addSealsAndResidue({ text: text === "" ? summary.join("\n\n") : text, thought: true }, part, "", context);
}

function encodeOpaque(part: OpaquePart, context: EncodeContext<GeminiLossCode>): GeminiPart | undefined {
  if (!canSendOpaque(part, context)) return undefined;
  const { value } = part;
  if (!isObject(value)) {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  reportUnsupportedFields(part, OPAQUE_FIELDS, context, "field-unsupported", { cache: "metadata-dropped" });
  return value;
}
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "issuer", "value"]);
