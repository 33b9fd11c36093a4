// Moves the grounding segments of a response to their positions in the stream, where adjacent texts are joined: a
// segment of the second text becomes a segment of the joined text with a higher offset.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { Utf8Offsets } from "../response/byte-offsets.ts";
import { TextJoinRule } from "../content/split-texts.ts";

const TEXT_KEYS: ReadonlySet<string> = new Set(["text", "thought", "thoughtSignature", "thought_signature"]);

/**
 * Returns the unknown fields of a wire text; undefined if there are none. Two adjacent texts are joined only if these
 * fields are equal.
 */
export function readComparableFields(wire: JsonObject): JsonObject | undefined {
  return unknownFields(wire, TEXT_KEYS);
}

/** The position that a wire part of the response has in the stream, where adjacent texts are joined. */
interface StreamPosition {
  /** Index of the joined part that contains the wire part. */
  part: number;
  /** Number of bytes before the wire part in the joined part. */
  bytes: number;
}

/** Returns the position in the stream of each wire part. */
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
    // A text with the step "empty" adds no part. Its position is the end of the previous part if that is a text that is
    // not a thought, otherwise the start of the next part.
    positions.push(step !== "empty" || isText ? { part: count - 1, bytes } : { part: count, bytes: 0 });
    if (step !== "empty") bytes += new Utf8Offsets(text).toByte(text.length);
  }
  return positions;
}

/** Returns a candidate whose grounding segments are at their positions in the stream. */
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
