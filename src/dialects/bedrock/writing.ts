// What an encoder carries along: names, the calls so far, the breakpoints so far.
import type { JsonObject } from "../../model/json.ts";
import type { Part, PartBase } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "../kit/names.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import type { CachePointBlock } from "./types.ts";

export interface Writing {
  readonly context: EncodeContext<Code>;
  /** Absent in a reply: nothing is renamed for a client. */
  readonly names: NameBook | undefined;
  /** The calls so far, by id: the tool's name, and what was written for it. */
  readonly calls: Map<string, { name: string; written: string; isServed: boolean }>;
  /** Writes the parts in a field of the value in hand. */
  readonly blocks: (parts: readonly Part[], key: string, spot: Position, writing: Writing) => JsonObject[];
  /** How many cache breakpoints, and documents without a name, there are so far. */
  caches: number;
  unnamed: number;
  /** The model signs what it thinks, and takes back only that. */
  isSigner: boolean;
  /** A call that the end of its answer says to be cut off. */
  cut?: Part | undefined;
}

/** Where a part stands; not every place takes every block. */
export type Position = "system" | "user" | "assistant" | "answer" | "result" | "document";

/** More breakpoints than this are refused (B39). */
const MAX_CACHES = 4;
const POINTED: ReadonlySet<Position> = new Set<Position>(["system", "user", "assistant"]);

/** Counts a breakpoint that goes out as it was kept. */
export function countCache(block: JsonObject, writing: Writing): void {
  if (block["cachePoint"] !== undefined) writing.caches++;
}

/** The block that says a breakpoint, as long as there may be one more; the trail stands at what has it. */
export function encodeCache(
  { cache }: Pick<PartBase, "cache">,
  spot: Position,
  writing: Writing,
): CachePointBlock | undefined {
  const { report, repair } = writing.context;
  if (cache === undefined) return undefined;
  if (!POINTED.has(spot) || (repair && writing.caches >= MAX_CACHES)) {
    report.addLoss(POINTED.has(spot) ? "cache-surplus" : "bookkeeping", "cache");
    return undefined;
  }
  writing.caches++;
  return { cachePoint: cache.ttl === undefined ? { type: "default" } : { type: "default", ttl: cache.ttl } };
}

/** Fields that are known not to travel; what is not listed is `field-unsaid`. */
const UNCARRIED: Readonly<Partial<Record<string, Code>>> = {
  size: "bookkeeping",
  issuer: "bookkeeping",
  mimeType: "bookkeeping",
};

/** Objects within blocks that residue mirrors. */
const INNER = [
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

/** Ends a block: what was kept for it, and a report of everything that is not in `carried`. */
export function closeBlock<T extends JsonObject>(
  wire: T,
  part: Part,
  carried: ReadonlySet<string>,
  { context }: Writing,
): T {
  if (part.extra !== undefined) {
    restoreResidue(wire, part, context, ...INNER);
    reportNotPortableResidue<Code>(part, context);
  }
  reportUnsupportedFields(part, carried, context, "field-unsaid", UNCARRIED);
  return wire;
}
