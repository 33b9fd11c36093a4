// What is said of the texts of a whole answer, as its stream says it: there neighbouring texts are one part, so that a
// place in the second of them is a place further on in the first.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { Bytes } from "./bytes.ts";
import { TextRule } from "./chunks.ts";

const KIND: ReadonlySet<string> = new Set(["text", "thought", "thoughtSignature", "thought_signature"]);

/** What the rule of joining compares. */
export function restOfWire(wire: JsonObject): JsonObject | undefined {
  return unknownFields(wire, KIND);
}

/** A place in a whole answer: which part of the stream it is in, and how many bytes stand before it there. */
interface Place {
  part: number;
  bytes: number;
}

/** Where each part of a whole answer stands in its stream. */
function placesOf(parts: readonly JsonValue[]): Place[] {
  const rule = new TextRule();
  const places: Place[] = [];
  let [count, bytes] = [0, 0];
  let isText = false;
  for (const wire of parts) {
    const { text, thought } = isObject(wire) ? wire : {};
    if (!isObject(wire) || typeof text !== "string") {
      rule.stop();
      places.push({ part: count++, bytes: 0 });
      isText = false;
      continue;
    }
    const isSigned = wire["thoughtSignature"] !== undefined || wire["thought_signature"] !== undefined;
    const step = rule.next(text, thought === true, isSigned, restOfWire(wire));
    if (step === "begins") {
      count++;
      bytes = 0;
    }
    if (step !== "framing") isText = thought !== true;
    // An empty text is no part: it stands where the text before it ends, or where the next part begins.
    places.push(step !== "framing" || isText ? { part: count - 1, bytes } : { part: count, bytes: 0 });
    if (step !== "framing") bytes += new Bytes(text).byte(text.length);
  }
  return places;
}

/** The candidate of a whole answer, with the places of its sources as they are in the stream. */
export function withJoinedPlaces(candidate: JsonObject): JsonObject {
  const { groundingMetadata: grounding, content } = candidate;
  if (!isObject(grounding) || !isObject(content) || !Array.isArray(content["parts"])) return candidate;
  const supports = grounding["groundingSupports"];
  if (!Array.isArray(supports)) return candidate;
  const places = placesOf(content["parts"]);
  const groundingSupports = supports.map((support) => moved(support, places));
  return { ...candidate, groundingMetadata: { ...grounding, groundingSupports } };
}

function moved(support: JsonValue, places: readonly Place[]): JsonValue {
  const segment = isObject(support) ? support["segment"] : undefined;
  if (!isObject(support) || !isObject(segment) || typeof segment["partIndex"] !== "number") return support;
  const { partIndex, startIndex = 0, endIndex = 0, ...rest } = segment;
  const place = places[partIndex];
  if (place === undefined || (place.part === partIndex && place.bytes === 0)) return support;
  const [start, end] = [Number(startIndex) + place.bytes, Number(endIndex) + place.bytes];
  const there: JsonObject = { ...rest, endIndex: end };
  if (start > 0 || segment["startIndex"] !== undefined) there["startIndex"] = start;
  if (place.part > 0) there["partIndex"] = place.part;
  return { ...support, segment: there };
}
