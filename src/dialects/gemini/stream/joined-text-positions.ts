// Moves the grounding segments of a whole response to the positions in its stream, where adjacent texts are one part: a
// segment in the second text moves to a higher offset of the first.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { Utf8Offsets } from "../response/byte-offsets.ts";
import { TextJoinRule } from "../content/split-texts.ts";

const TEXT_KEYS: ReadonlySet<string> = new Set(["text", "thought", "thoughtSignature", "thought_signature"]);

/** Returns the fields that must be equal for texts to join; undefined if there are none. */
export function readComparableFields(wire: JsonObject): JsonObject | undefined {
  return unknownFields(wire, TEXT_KEYS);
}

/** Position of a wire part in the stream: the index of its joined part, and the number of bytes before it there. */
interface StreamPosition {
  part: number;
  bytes: number;
}

/** Returns the stream position of each wire part. */
function findStreamPositions(parts: readonly JsonValue[]): StreamPosition[] {
  const rule = new TextJoinRule();
  const positions: StreamPosition[] = [];
  let [count, bytes] = [0, 0];
  let isText = false;
  for (const wire of parts) {
    const { text, thought } = isObject(wire) ? wire : {};
    if (!isObject(wire) || typeof text !== "string") {
      rule.close();
      positions.push({ part: count++, bytes: 0 });
      isText = false;
      continue;
    }
    const isSigned = wire["thoughtSignature"] !== undefined || wire["thought_signature"] !== undefined;
    const step = rule.advance(text, thought === true, isSigned, readComparableFields(wire));
    if (step === "begins") {
      count++;
      bytes = 0;
    }
    if (step !== "empty") isText = thought !== true;
    // An empty text is no part: its position is the end of the text before it, or the start of the next part.
    positions.push(step !== "empty" || isText ? { part: count - 1, bytes } : { part: count, bytes: 0 });
    if (step !== "empty") bytes += new Utf8Offsets(text).toByte(text.length);
  }
  return positions;
}

/** Returns the candidate with its grounding segments at their stream positions. */
export function withStreamPositions(candidate: JsonObject): JsonObject {
  const { groundingMetadata: grounding, content } = candidate;
  if (!isObject(grounding) || !isObject(content) || !Array.isArray(content["parts"])) return candidate;
  const supports = grounding["groundingSupports"];
  if (!Array.isArray(supports)) return candidate;
  const positions = findStreamPositions(content["parts"]);
  const groundingSupports = supports.map((support) => moveSegment(support, positions));
  return { ...candidate, groundingMetadata: { ...grounding, groundingSupports } };
}

function moveSegment(support: JsonValue, positions: readonly StreamPosition[]): JsonValue {
  const segment = isObject(support) ? support["segment"] : undefined;
  if (!isObject(support) || !isObject(segment) || typeof segment["partIndex"] !== "number") return support;
  const { partIndex, startIndex = 0, endIndex = 0, ...rest } = segment;
  const position = positions[partIndex];
  if (position === undefined || (position.part === partIndex && position.bytes === 0)) return support;
  const [start, end] = [Number(startIndex) + position.bytes, Number(endIndex) + position.bytes];
  const movedSegment: JsonObject = { ...rest, endIndex: end };
  if (start > 0 || segment["startIndex"] !== undefined) movedSegment["startIndex"] = start;
  if (position.part > 0) movedSegment["partIndex"] = position.part;
  return { ...support, segment: movedSegment };
}
