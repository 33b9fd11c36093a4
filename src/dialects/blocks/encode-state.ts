// Declares the state of one encoding pass, and encodes each part with the block encoder of its type, by the rules that
// Anthropic and Bedrock share.
import type { JsonObject } from "../../model/json/index.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type * as Parts from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { canSendOpaque } from "../kit/residue/opaque-parts.ts";
import type { RenameTable } from "../kit/tools/tool-renames.ts";
import type { BlockLoss } from "./losses.ts";

export interface BlockEncodeState {
  readonly context: EncodeContext<BlockLoss>;
  /** The renames of tools and call ids; undefined while a response is encoded, in which nothing is renamed. */
  readonly names: RenameTable | undefined;
  /** The number of cache breakpoints that have been written so far. */
  cacheCount: number;
  /** The call that the finish reason marks as cut off. Its `invalid` flag is not reported as a loss. */
  cutOffCall?: Parts.Part | undefined;
}

/** The maximum number of cache breakpoints in a request; both providers reject a request with more (B39). */
export const MAX_CACHE_BREAKPOINTS = 4;

/** Loss codes of part fields that are not content; every other unsupported field is reported as `field-unsupported`. */
export const UNSUPPORTED_PART_FIELDS = {
  size: "metadata-dropped",
  issuer: "metadata-dropped",
  mimeType: "metadata-dropped",
} as const satisfies Record<string, BlockLoss>;

/** The block encoders of one dialect. An encoder returns undefined if it has dropped the part and reported the loss. */
interface PartEncoders<State extends BlockEncodeState, Position> {
  text(part: Parts.TextPart | Parts.RefusalPart, position: Position, state: State): JsonObject | undefined;
  reasoning(part: Parts.ReasoningPart, state: State): JsonObject | undefined;
  call(part: Parts.ToolCallPart, state: State): JsonObject | undefined;
  result(part: Parts.ToolResultPart, state: State): JsonObject | undefined;
  media(part: Parts.MediaPart, position: Position, state: State): JsonObject | undefined;
  opaque(part: Parts.OpaquePart, state: State): JsonObject | undefined;
}

/** Positions that accept only some kinds of blocks; all other positions accept every kind. */
const RESTRICTED_POSITIONS: ReadonlySet<unknown> = new Set(["system", "result", "document"]);

/** Encodes the parts of the field `key` as blocks. */
export type PartListEncoder<State extends BlockEncodeState, Position> = (
  parts: readonly Parts.Part[],
  key: string,
  position: Position,
  state: State,
) => JsonObject[];

/** Returns a function that encodes a part as a block. The path tracker must be at the part. */
export function createPartEncoder<State extends BlockEncodeState, Position>(encoders: PartEncoders<State, Position>) {
  return (part: Parts.Part, position: Position, state: State): JsonObject | undefined =>
    encodePartWith(encoders, part, position, state);
}

function encodePartWith<State extends BlockEncodeState, Position>(
  encoders: PartEncoders<State, Position>,
  part: Parts.Part,
  position: Position,
  state: State,
): JsonObject | undefined {
  const { context } = state;
  const acceptsAll = !context.repair || !RESTRICTED_POSITIONS.has(position);
  if (isMediaPart(part)) return encoders.media(part, position, state);
  switch (part.type) {
    case "text":
    case "refusal":
      return encoders.text(part, position, state);
    case "reasoning":
      if (acceptsAll) return encoders.reasoning(part, state);
      break;
    case "tool-call":
      if (acceptsAll) return encoders.call(part, state);
      break;
    case "tool-result":
      if (acceptsAll) return encoders.result(part, state);
      break;
    case "opaque":
      return encoders.opaque(part, state);
  }
  // The position does not accept the part, or a later version of the canonical model added the part type.
  context.report.addLoss("part-unsupported");
  return undefined;
}

/**
 * Returns the block of an opaque part unchanged; undefined, with a loss, if the part belongs to another dialect or
 * issuer or is not an object.
 */
export function readOpaqueBlock(part: Parts.OpaquePart, context: EncodeContext<BlockLoss>): JsonObject | undefined {
  if (!canSendOpaque(part, context)) return undefined;
  const { value } = part;
  if (isObject(value)) return value;
  context.report.addLoss("part-unsupported");
  return undefined;
}
