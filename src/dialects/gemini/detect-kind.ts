// Detects payloads that only Gemini can have produced.
import type { JsonObject } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";

/** Returns the kind of a Gemini payload; undefined for other payloads. */
export function detectKind(wire: JsonObject): PayloadKind | undefined {
  const { contents, candidates, error } = wire;
  if (Array.isArray(contents) && contents.some((each) => isObject(each) && Array.isArray(each["parts"])))
    return "request";
  // Stream events have the shape of a response; only the last event of a candidate has a finish reason.
  if (Array.isArray(candidates) && candidates.every(isObject)) {
    return candidates.some((each) => each["finishReason"] === undefined) ? "stream" : "response";
  }
  if (isObject(wire["promptFeedback"]) || isObject(wire["usageMetadata"])) return "response";
  const { code, status } = isObject(error) ? error : {};
  return typeof code === "number" && typeof status === "string" && /^[A-Z_]+$/.test(status) ? "error" : undefined;
}
