// What a payload is, where it can be nothing but one of this dialect's.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/read.ts";

/** Parameters that nothing else has which is asked with an `input`: not embeddings, moderations, speech or images. */
const OWN =
  "instructions max_output_tokens reasoning text tools tool_choice previous_response_id conversation prompt include store stream truncation background metadata temperature top_p".split(
    " ",
  );
/** What is asked of other endpoints. */
const OTHERS = ["messages", "contents", "type", "voice", "encoding_format", "dimensions"];
/** Blocks of what is to be moderated. */
const MODERATED: ReadonlySet<unknown> = new Set(["text", "image_url"]);

/** Errors look like Chat's, so that none is recognised, except in a stream. */
export function recognise(wire: JsonObject): PayloadKind | undefined {
  const { object, output, input, type } = wire;
  if (object === "response" && Array.isArray(output)) return "response";
  if (typeof type === "string" && type.startsWith("response.")) return "stream";
  if (type === "error" && typeof wire["sequence_number"] === "number") return "stream";
  if (OTHERS.some((field) => wire[field] !== undefined)) return undefined;
  const isInput = typeof input === "string" || Array.isArray(input);
  const isOwn = OWN.some((field) => wire[field] !== undefined) || (Array.isArray(input) && input.some(isItem));
  return isInput && isOwn ? "request" : undefined;
}

function isItem(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { role, type } = value;
  return typeof role === "string" || (typeof type === "string" && !MODERATED.has(type));
}
