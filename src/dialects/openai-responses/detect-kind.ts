// Detects whether a payload is a Responses request, response or stream event. A payload that could as well belong to
// another API is not detected.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";

/** Request parameters that no other API with an `input` has (embeddings, moderations, speech, images). */
const RESPONSES_PARAMETERS =
  "instructions max_output_tokens reasoning text tools tool_choice previous_response_id conversation prompt include store stream truncation background metadata temperature top_p".split(
    " ",
  );
/** Request fields of other APIs. A payload with one of these fields is not a Responses request. */
const FOREIGN_FIELDS = ["messages", "contents", "type", "voice", "encoding_format", "dimensions"];
/** Block types in the `input` of moderation requests, which are not Responses requests. */
const MODERATION_BLOCKS: ReadonlySet<unknown> = new Set(["text", "image_url"]);

/**
 * Returns the kind of a payload; undefined if it is ambiguous. Error bodies equal those of OpenAI Chat, so only error
 * events of a stream are detected.
 */
export function detectKind(wire: JsonObject): PayloadKind | undefined {
  const { object, output, input, type } = wire;
  if (object === "response" && Array.isArray(output)) return "response";
  if (typeof type === "string" && type.startsWith("response.")) return "stream";
  if (type === "error" && typeof wire["sequence_number"] === "number") return "stream";
  if (FOREIGN_FIELDS.some((field) => wire[field] !== undefined)) return undefined;
  const isInput = typeof input === "string" || Array.isArray(input);
  const isResponses =
    RESPONSES_PARAMETERS.some((field) => wire[field] !== undefined) || (Array.isArray(input) && input.some(isItem));
  return isInput && isResponses ? "request" : undefined;
}

function isItem(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { role, type } = value;
  return typeof role === "string" || (typeof type === "string" && !MODERATION_BLOCKS.has(type));
}
