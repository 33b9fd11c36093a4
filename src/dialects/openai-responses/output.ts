// What the assistant says: texts with their citations and log probabilities, and refusals.
import type { JsonObject } from "../../model/json.ts";
import type { OpaquePart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { opaquePart } from "../kit/opaque.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { storeForm, restoreResidue } from "../kit/residue.ts";
import { decodeAnnotations, encodeAnnotations } from "./annotations.ts";
import { encodeOpaque } from "./content.ts";
import { decodeLogprobs, encodeLogprobs } from "./logprobs.ts";
import type { Refusal } from "./types.ts";
import type { Writing } from "./writing.ts";
import { carrying, reportPart, spelled, wasAbsent } from "./writing.ts";

/** What may stand in a message of the assistant. */
export type Said = TextPart | RefusalPart | OpaquePart;

/** What a block of an answer always has, said or not. */
const LISTS = ["annotations", "logprobs"] as const;

export function decodeOutput(block: JsonObject, context: DecodeContext): Said {
  const { type, text, refusal } = block;
  if (type === "output_text" && typeof text === "string") return decodeOutputText(block, text, context);
  if (type === "input_text" && typeof text === "string") {
    const part: TextPart = { type: "text", text };
    storeForm(part, context.dialect, "type", type);
    keepOthers(part, block, ["type", "text"], context);
    return part;
  }
  if (type === "refusal" && typeof refusal === "string") {
    const part: RefusalPart = { type: "refusal", text: refusal };
    keepOthers(part, block, ["type", "refusal"], context);
    return part;
  }
  const part = opaquePart(block, context);
  // Plain opaque parts are items of their own.
  storeForm(part, context.dialect, "in", "message");
  return part;
}

function decodeOutputText(block: JsonObject, text: string, context: DecodeContext): TextPart {
  const part: TextPart = { type: "text", text };
  let count = 0;
  const { annotations, logprobs } = block;
  const cited = Array.isArray(annotations) ? decodeAnnotations(annotations, text, context) : undefined;
  const likely = Array.isArray(logprobs) ? decodeLogprobs(logprobs, context) : undefined;
  if (cited !== undefined && cited.length > 0) part.annotations = cited;
  if (likely !== undefined && likely.length > 0) part.logprobs = likely;
  for (const _ in block) count++;
  // Most blocks have these four fields and no others.
  if (cited !== undefined && likely !== undefined && count === 4) return part;
  noteAbsent(part, block, LISTS, context);
  const lists = LISTS.filter((list) => (list === "logprobs" ? likely : cited) !== undefined);
  keepOthers(part, block, ["type", "text", ...lists], context);
  return part;
}

const TEXT = carrying("text", "annotations", "logprobs");
const REFUSAL = carrying("text");

/** A block of a message; `seal` goes out with it. The trail stands at the part. */
export function encodeOutput(part: Said, seal: "id" | undefined, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  if (part.type === "opaque") return encodeOpaque(part, writing, seal);
  reportPart(part, part.type === "text" ? TEXT : REFUSAL, writing, seal);
  const block =
    part.type === "text" ? encodeText(part, writing) : ({ type: "refusal", refusal: part.text } satisfies Refusal);
  if (part.extra !== undefined) restoreResidue(block, part, context);
  return block;
}

function encodeText(part: TextPart, writing: Writing): JsonObject {
  const { context } = writing;
  const { annotations, logprobs } = part;
  if (spelled(part, context)["type"] === "input_text" && annotations === undefined && logprobs === undefined) {
    return { type: "input_text", text: part.text };
  }
  const block: JsonObject = { type: "output_text", text: part.text };
  for (const list of LISTS) {
    const isKept = part.extra?.[context.dialect]?.[list] !== undefined;
    if (part[list] === undefined && (isKept || wasAbsent(part, list, context))) continue;
    block[list] =
      list === "annotations"
        ? encodeAnnotations(part, writing)
        : context.pathTracker.into(list, () => encodeLogprobs(logprobs ?? [], writing));
  }
  return block;
}
