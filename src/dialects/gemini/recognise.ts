// What shows that a payload is Gemini's and nobody else's.
import type { JsonObject } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/read.ts";

export function recognise(wire: JsonObject): PayloadKind | undefined {
  const { contents, candidates, error } = wire;
  if (Array.isArray(contents) && contents.some((each) => isObject(each) && Array.isArray(each["parts"])))
    return "request";
  // An event of a stream is an answer that may go on.
  if (Array.isArray(candidates) && candidates.every(isObject)) {
    return candidates.some((each) => each["finishReason"] === undefined) ? "stream" : "response";
  }
  if (isObject(wire["promptFeedback"]) || isObject(wire["usageMetadata"])) return "response";
  const { code, status } = isObject(error) ? error : {};
  return typeof code === "number" && typeof status === "string" && /^[A-Z_]+$/.test(status) ? "error" : undefined;
}
