// What an encoder carries along: names, the calls so far, the breakpoints so far.
import type { JsonObject } from "../../model/json.ts";
import type { Part, PartBase } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "../kit/names.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportEvents } from "../kit/streams.ts";
import type { Code } from "./losses.ts";
import type { CacheControl } from "./types.ts";

export interface Writing {
  readonly context: EncodeContext<Code>;
  /** Absent in a reply: nothing is renamed for a client. */
  readonly names: NameBook | undefined;
  /** The names of the calls so far, by id. */
  readonly calls: Map<string, string>;
  /** Writes the parts in a field of the value in hand. */
  readonly blocks: (parts: readonly Part[], key: string, spot: Position, writing: Writing) => JsonObject[];
  /** How many cache breakpoints there are so far. */
  caches: number;
  /** A call that the end of its answer says to be cut off. */
  cut?: Part | undefined;
  /** An answer of another dialect, in which clients look for every field that the provider's SDK promises. */
  isForeign?: boolean;
}

/** Where a part stands; not every place takes every block. */
export type Position = "system" | "user" | "assistant" | "result" | "document";

/** More breakpoints than this are refused (B39). */
const MAX_CACHES = 4;
const CACHE = "cache_control";

/** Fields that are known not to travel; what is not listed is `field-unsaid`. */
const UNCARRIED: Readonly<Partial<Record<string, Code>>> = {
  cache: "bookkeeping",
  size: "bookkeeping",
  issuer: "bookkeeping",
  mimeType: "bookkeeping",
};

/** Counts a breakpoint that goes out as it was kept. */
export function countCache(value: unknown, writing: Writing): void {
  if (value !== undefined && value !== null) writing.caches++;
}

/** Writes a breakpoint, as long as there may be one more. */
export function writeCache(wire: JsonObject, { cache }: Pick<PartBase, "cache">, writing: Writing): void {
  if (cache === undefined) return;
  if (writing.context.repair && writing.caches >= MAX_CACHES) {
    writing.context.report.addLoss("cache-surplus", "cache");
    return;
  }
  writing.caches++;
  const control: CacheControl = { type: "ephemeral" };
  if (cache.ttl !== undefined) control.ttl = cache.ttl;
  wire[CACHE] = control;
}

/** Ends a block: its breakpoint, what was kept for it, and a report of everything that is not in `carried`. */
export function closeBlock<T extends JsonObject>(
  wire: T,
  part: Part,
  carried: ReadonlySet<string>,
  writing: Writing,
  ...inner: readonly string[]
): T {
  const { context } = writing;
  if (part.cache !== undefined && carried.has("cache")) writeCache(wire, part, writing);
  if (part.extra !== undefined) {
    countCache(part.extra[context.dialect]?.[CACHE], writing);
    restoreResidue(wire, part, context, ...inner);
    reportNotPortableResidue<Code>(part, context);
    reportEvents(part, context);
  }
  reportUnsupportedFields(part, carried, context, "field-unsaid", UNCARRIED);
  return wire;
}
