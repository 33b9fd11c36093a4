// State of one encode of Bedrock messages, cache points, and the last step of every block: residue and losses.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, PartBase } from "../../../model/parts.ts";
import type { BlockEncodeState, PartListEncoder } from "../../blocks/encode-state.ts";
import { MAX_CACHE_BREAKPOINTS, UNSUPPORTED_PART_FIELDS } from "../../blocks/encode-state.ts";
import type { EncodeContext } from "../../dialect.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { BedrockLoss } from "../losses.ts";
import type { CachePointBlock } from "../types.ts";

/** A call that has been encoded. */
export interface EncodedCall {
  toolName: string;
  /** Name on the wire. */
  wireName: string;
  isProviderCall: boolean;
}

export interface BedrockEncodeState extends BlockEncodeState {
  readonly context: EncodeContext<BedrockLoss>;
  /** Calls so far, by call id. */
  readonly calls: Map<string, EncodedCall>;
  /** Encodes a nested list of parts; a field, because `encode-block.ts` imports the encoders that call it. */
  readonly encodeParts: PartListEncoder<BedrockEncodeState, BedrockBlockPosition>;
  /** Number of generated document names so far. */
  generatedNames: number;
  /** True if the model signs its reasoning and rejects unsigned reasoning. */
  readonly signsReasoning: boolean;
}

/** Place of a part; not every place accepts every block. */
export type BedrockBlockPosition = "system" | "user" | "assistant" | "answer" | "result" | "document";

/** Positions that accept cache points. */
const CACHE_POSITIONS: ReadonlySet<BedrockBlockPosition> = new Set<BedrockBlockPosition>([
  "system",
  "user",
  "assistant",
]);

/** Counts a cache point that is written from an opaque block or tool. */
export function countCachePoint(block: JsonObject, state: BedrockEncodeState): void {
  if (block["cachePoint"] !== undefined) state.cacheCount++;
}

/** Encodes a breakpoint as a cache point, unless the limit is reached; the path tracker is at its part or tool. */
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

/** Objects within blocks whose unknown fields are stored as residue of the part. */
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

/** Restores residue in a block, and reports every field that is not in `supported`. */
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
