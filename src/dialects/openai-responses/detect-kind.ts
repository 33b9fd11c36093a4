// Detects whether a payload can only be a Responses request, response or stream event.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";

/** Parameters that no other API with an `input` has (embeddings, moderations, speech, images). */
const RESPONSES_PARAMETERS =
  "instructions max_output_tokens reasoning text tools tool_choice previous_response_id conversation prompt include store stream truncation background metadata temperature top_p".split(
    " ",
  );
/** Fields of requests to other APIs. */
const FOREIGN_FIELDS = ["messages", "contents", "type", "voice", "encoding_format", "dimensions"];
/** Block types of moderation input. */
const MODERATION_BLOCKS: ReadonlySet<unknown> = new Set(["text", "image_url"]);

/** Detects the kind of a payload. Error bodies equal those of Chat, so only error events of a stream are detected. */
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
