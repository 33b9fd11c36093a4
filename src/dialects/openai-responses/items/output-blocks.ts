// Decodes and encodes the content blocks of assistant messages: texts with citations and log probabilities, and
// refusals.
import type { JsonObject } from "../../../model/json/index.ts";
import type { OpaquePart, RefusalPart, TextPart } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { decodeAnnotations, encodeAnnotations } from "./annotations.ts";
import { encodeOpaque } from "./input-blocks.ts";
import { decodeLogprobs, encodeLogprobs } from "./logprobs.ts";
import type { Refusal } from "../types.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { supportedFields, reportPart, readOwnForm, wasOmitted } from "../encode-state.ts";

/** A part that an assistant message item can contain. */
export type MessagePart = TextPart | RefusalPart | OpaquePart;

/** The list fields that a text block of a response always has, even if they are empty. */
const LIST_FIELDS = ["annotations", "logprobs"] as const;

export function decodeOutputBlock(block: JsonObject, context: DecodeContext): MessagePart {
  const { type, text, refusal } = block;
  if (type === "output_text" && typeof text === "string") return decodeOutputText(block, text, context);
  if (type === "input_text" && typeof text === "string") {
    const part: TextPart = { type: "text", text };
    storeForm(part, context.dialect, "type", type);
    storeUnknownFields(part, block, ["type", "text"], context);
    return part;
  }
  if (type === "refusal" && typeof refusal === "string") {
    const part: RefusalPart = { type: "refusal", text: refusal };
    storeUnknownFields(part, block, ["type", "refusal"], context);
    return part;
  }
  const part = toOpaquePart(block, context);
  // The form marks the opaque part as a block. Without it, the part would be encoded as an item.
  storeForm(part, context.dialect, "in", "message");
  return part;
}

function decodeOutputText(block: JsonObject, text: string, context: DecodeContext): TextPart {
  const part: TextPart = { type: "text", text };
  let count = 0;
  const { annotations, logprobs } = block;
  const decodedAnnotations = Array.isArray(annotations) ? decodeAnnotations(annotations, text, context) : undefined;
  const decodedLogprobs = Array.isArray(logprobs) ? decodeLogprobs(logprobs, context) : undefined;
  if (decodedAnnotations !== undefined && decodedAnnotations.length > 0) part.annotations = decodedAnnotations;
  if (decodedLogprobs !== undefined && decodedLogprobs.length > 0) part.logprobs = decodedLogprobs;
  for (const _ in block) count++;
  // Fast path: most blocks have exactly the four fields `type`, `text`, `annotations` and `logprobs`.
  if (decodedAnnotations !== undefined && decodedLogprobs !== undefined && count === 4) return part;
  storeAbsentFields(part, block, LIST_FIELDS, context);
  const lists = LIST_FIELDS.filter(
    (list) => (list === "logprobs" ? decodedLogprobs : decodedAnnotations) !== undefined,
  );
  storeUnknownFields(part, block, ["type", "text", ...lists], context);
  return part;
}

const SUPPORTED_TEXT = supportedFields("text", "annotations", "logprobs");
const SUPPORTED_REFUSAL = supportedFields("text");

/**
 * Encodes a block of an assistant message. `seal` is the kind of seal that the message item contains. The path tracker
 * must be at the part.
 */
export function encodeOutputBlock(
  part: MessagePart,
  seal: "id" | undefined,
  state: ResponsesEncodeState,
): JsonObject | undefined {
  const { context } = state;
  if (part.type === "opaque") return encodeOpaque(part, state, seal);
  reportPart(part, part.type === "text" ? SUPPORTED_TEXT : SUPPORTED_REFUSAL, state, seal);
  const block =
    part.type === "text" ? encodeText(part, state) : ({ type: "refusal", refusal: part.text } satisfies Refusal);
  if (part.extra !== undefined) restoreResidue(block, part, context);
  return block;
}

function encodeText(part: TextPart, state: ResponsesEncodeState): JsonObject {
  const { context } = state;
  const { annotations, logprobs } = part;
  if (readOwnForm(part, context)["type"] === "input_text" && annotations === undefined && logprobs === undefined) {
    return { type: "input_text", text: part.text };
  }
  const block: JsonObject = { type: "output_text", text: part.text };
  for (const list of LIST_FIELDS) {
    if (part[list] === undefined && wasOmitted(part, list, context)) continue;
    block[list] =
      list === "annotations"
        ? encodeAnnotations(part, state)
        : context.pathTracker.into(list, () => encodeLogprobs(logprobs ?? [], state));
  }
  return block;
}
