// Defines the state that is used while Anthropic messages are encoded, and functions that finish a block: they write
// its cache breakpoint and residue, and report its losses.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, PartBase } from "../../../model/parts.ts";
import type { BlockEncodeState, PartListEncoder } from "../../blocks/encode-state.ts";
import { MAX_CACHE_BREAKPOINTS, UNSUPPORTED_PART_FIELDS } from "../../blocks/encode-state.ts";
import type { EncodeContext } from "../../dialect.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnknownEvents } from "../../kit/residue/unknown-events.ts";
import type { AnthropicLoss } from "../losses.ts";
import type { CacheControl } from "../types.ts";

export interface AnthropicEncodeState extends BlockEncodeState {
  readonly context: EncodeContext<AnthropicLoss>;
  /** Names of the tools that were called so far, by call id. */
  readonly calledTools: Map<string, string>;
  /**
   * Encodes a nested list of parts. It is a field of the state to avoid a circular import: `encode-block.ts` defines it
   * and imports the encoders that call it.
   */
  readonly encodeParts: PartListEncoder<AnthropicEncodeState, AnthropicBlockPosition>;
  /**
   * True while an answer of another dialect is encoded. Its blocks get all fields that the types of Anthropic's SDK
   * require.
   */
  isForeignAnswer?: boolean;
}

/** The position of a part in a request. Each position accepts only certain blocks. */
export type AnthropicBlockPosition = "system" | "user" | "assistant" | "result" | "document";

const CACHE_CONTROL = "cache_control";

const UNSUPPORTED_FIELDS: Readonly<Partial<Record<string, AnthropicLoss>>> = {
  ...UNSUPPORTED_PART_FIELDS,
  cache: "metadata-dropped",
};

/** Counts the cache breakpoint of an opaque block or of residue, which is written without `writeCacheControl`. */
export function countCacheControl(cacheControl: unknown, state: AnthropicEncodeState): void {
  if (cacheControl !== undefined && cacheControl !== null) state.cacheCount++;
}

/** Writes a cache breakpoint. Drops and reports it if the request already has MAX_CACHE_BREAKPOINTS. */
export function writeCacheControl(
  wire: JsonObject,
  { cache }: Pick<PartBase, "cache">,
  state: AnthropicEncodeState,
): void {
  if (cache === undefined) return;
  if (state.context.repair && state.cacheCount >= MAX_CACHE_BREAKPOINTS) {
    state.context.report.addLoss("cache-breakpoint-limit", "cache");
    return;
  }
  state.cacheCount++;
  const cacheControl: CacheControl = { type: "ephemeral" };
  if (cache.ttl !== undefined) cacheControl.ttl = cache.ttl;
  wire[CACHE_CONTROL] = cacheControl;
}

/**
 * Adds the cache breakpoint and the residue to a block, and reports every field of the part that is not in `supported`.
 */
export function closeBlock<T extends JsonObject>(
  wire: T,
  part: Part,
  supported: ReadonlySet<string>,
  state: AnthropicEncodeState,
  ...inner: readonly string[]
): T {
  const { context } = state;
  if (part.cache !== undefined && supported.has("cache")) writeCacheControl(wire, part, state);
  if (part.extra !== undefined) {
    countCacheControl(part.extra[context.dialect]?.[CACHE_CONTROL], state);
    restoreResidue(wire, part, context, ...inner);
    reportNotPortableResidue<AnthropicLoss>(part, context);
    reportUnknownEvents(part, context);
  }
  reportUnsupportedFields(part, supported, context, "field-unsupported", UNSUPPORTED_FIELDS);
  return wire;
}
