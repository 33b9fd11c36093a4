// Declares the state of one encoding pass, encodes cache points, and completes every block with its residue and losses.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, PartBase } from "../../../model/parts.ts";
import type { BlockEncodeState, PartListEncoder } from "../../blocks/encode-state.ts";
import { MAX_CACHE_BREAKPOINTS, UNSUPPORTED_PART_FIELDS } from "../../blocks/encode-state.ts";
import type { EncodeContext } from "../../dialect.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { BedrockLoss } from "../losses.ts";
import type { CachePointBlock } from "../types.ts";

/** A tool call that has been encoded, for the encoding of its result. */
export interface EncodedCall {
  toolName: string;
  /** The name on the wire; it differs from `toolName` if the tool was renamed. */
  wireName: string;
  isProviderCall: boolean;
}

export interface BedrockEncodeState extends BlockEncodeState {
  readonly context: EncodeContext<BedrockLoss>;
  /** The calls that have been encoded so far, by canonical call id. */
  readonly calls: Map<string, EncodedCall>;
  /** Encodes a nested list of parts. It is a field, because a direct import of `encode-block.ts` would be circular. */
  readonly encodeParts: PartListEncoder<BedrockEncodeState, BedrockBlockPosition>;
  /** The number of document names that have been generated so far. */
  generatedNames: number;
  /** True if the model signs its reasoning and rejects unsigned reasoning. */
  readonly signsReasoning: boolean;
}

/** Where a part is written; some positions accept only some blocks. */
export type BedrockBlockPosition = "system" | "user" | "assistant" | "answer" | "result" | "document";

/** Positions that accept cache points. */
const CACHE_POSITIONS: ReadonlySet<BedrockBlockPosition> = new Set<BedrockBlockPosition>([
  "system",
  "user",
  "assistant",
]);

/**
 * Adds a block to the count of cache breakpoints if it is a cache point. It is called for the blocks of opaque parts
 * and provider tools, which are written unchanged and therefore not counted by `encodeCachePoint`.
 */
export function countCachePoint(block: JsonObject, state: BedrockEncodeState): void {
  if (block["cachePoint"] !== undefined) state.cacheCount++;
}

/**
 * Encodes the cache breakpoint of a part or tool as a cache point; undefined, with a loss, if the position does not
 * accept cache points or the limit is reached. The path tracker is at the part or tool.
 */
export function encodeCachePoint(
  { cache }: Pick<PartBase, "cache">,
  position: BedrockBlockPosition,
  state: BedrockEncodeState,
): CachePointBlock | undefined {
  const { report, repair } = state.context;
  if (cache === undefined) return undefined;
  const isSupported = CACHE_POSITIONS.has(position);
  if (!isSupported || (repair && state.cacheCount >= MAX_CACHE_BREAKPOINTS)) {
    report.addLoss(isSupported ? "cache-breakpoint-limit" : "metadata-dropped", "cache");
    return undefined;
  }
  state.cacheCount++;
  return { cachePoint: cache.ttl === undefined ? { type: "default" } : { type: "default", ttl: cache.ttl } };
}

/** Objects within blocks whose unknown fields are stored as residue of the part, under the objects' keys. */
const INNER_OBJECTS = [
  "toolUse",
  "toolResult",
  "reasoningContent",
  "reasoningText",
  "image",
  "document",
  "video",
  "audio",
  "source",
  "s3Location",
  "searchResult",
  "citationsContent",
  "guardContent",
  "text",
];

/** Restores the residue of a part in its block, and reports every field of the part that is not in `supported`. */
export function closeBlock<T extends JsonObject>(
  wire: T,
  part: Part,
  supported: ReadonlySet<string>,
  { context }: BedrockEncodeState,
): T {
  if (part.extra !== undefined) {
    restoreResidue(wire, part, context, ...INNER_OBJECTS);
    reportNotPortableResidue<BedrockLoss>(part, context);
  }
  reportUnsupportedFields<BedrockLoss>(part, supported, context, "field-unsupported", UNSUPPORTED_PART_FIELDS);
  return wire;
}
