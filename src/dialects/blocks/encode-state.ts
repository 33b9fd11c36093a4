// State of one encode, the dispatch from a part to its block encoder, and rules for blocks of both dialects.
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
  /** Renames of tools and call ids; undefined in a response, where nothing is renamed. */
  readonly names: RenameTable | undefined;
  /** Number of cache breakpoints so far. */
  cacheCount: number;
  /** The call that the finish reason marks as cut off; its `invalid` flag needs no report. */
  cutOffCall?: Parts.Part | undefined;
}

/** The target rejects a request with more cache breakpoints (B39). */
export const MAX_CACHE_BREAKPOINTS = 4;

/** Loss codes of part fields that carry no content; every other unsupported field is `field-unsupported`. */
export const UNSUPPORTED_PART_FIELDS = {
  size: "metadata-dropped",
  issuer: "metadata-dropped",
  mimeType: "metadata-dropped",
} as const satisfies Record<string, BlockLoss>;

/** The block encoders of one dialect; undefined means that the part was dropped and reported. */
interface PartEncoders<State extends BlockEncodeState, Position> {
  text(part: Parts.TextPart | Parts.RefusalPart, position: Position, state: State): JsonObject | undefined;
  reasoning(part: Parts.ReasoningPart, state: State): JsonObject | undefined;
  call(part: Parts.ToolCallPart, state: State): JsonObject | undefined;
  result(part: Parts.ToolResultPart, state: State): JsonObject | undefined;
  media(part: Parts.MediaPart, position: Position, state: State): JsonObject | undefined;
  opaque(part: Parts.OpaquePart, state: State): JsonObject | undefined;
}

/** Positions that accept only some blocks; all others accept every block. */
const RESTRICTED_POSITIONS: ReadonlySet<unknown> = new Set(["system", "result", "document"]);

/** Encodes the parts of the field `key` as blocks. */
export type PartListEncoder<State extends BlockEncodeState, Position> = (
  parts: readonly Parts.Part[],
  key: string,
  position: Position,
  state: State,
) => JsonObject[];

/** Returns the function that encodes a part as a block, with the path tracker at the part. */
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
  // Part types of a later contract version arrive here, too.
  context.report.addLoss("part-unsupported");
  return undefined;
}

/** Returns the verbatim block of an opaque part; undefined, with a loss, if it belongs elsewhere or is not an object. */
export function readOpaqueBlock(part: Parts.OpaquePart, context: EncodeContext<BlockLoss>): JsonObject | undefined {
  if (!canSendOpaque(part, context)) return undefined;
  const { value } = part;
  if (isObject(value)) return value;
  context.report.addLoss("part-unsupported");
  return undefined;
}
