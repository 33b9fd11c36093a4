// What everything in a history or an answer is written with, and what is reported and put back when a wire object has
// been made.
import type { JsonObject } from "../../model/json.ts";
import type { Extra, Part, SealKind } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameRule } from "../kit/names.ts";
import { NameBook } from "../kit/names.ts";
import { formOf, reportForeignResidue, reportUncarried, restoreResidue } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import type { Turn } from "../kit/turn.ts";
import { enterPart } from "../kit/turn.ts";
import { writeCache } from "./cache.ts";
import type { Code } from "./losses.ts";
import type { Vendor } from "./vendors.ts";
import { vendorOf } from "./vendors.ts";

const CALL_IDS: NameRule = { fits: /^.{1,40}$/s, odd: /[^!-~]/g, max: 40 };
const TOOL_NAMES: NameRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, odd: /[^a-zA-Z0-9_-]/g, max: 64 };

/** What the result of a call needs to know of it. */
export interface WrittenCall {
  name: string;
  isCustom: boolean;
  /** A `function_call`, which is answered by name. */
  isLegacy: boolean;
}

export interface Writing {
  readonly context: EncodeContext<Code>;
  readonly dialect: string;
  readonly names: NameBook;
  readonly vendor: Vendor | undefined;
  /** An answer to a client: the trail stands at its message, not at a list. */
  readonly isReply: boolean;
  /** The calls so far, by id. */
  readonly calls: Map<string, WrittenCall>;
}

export function startWriting(context: EncodeContext<Code>, isReply = false): Writing {
  const vendor = vendorOf(context.vendor);
  const names = new NameBook(vendor?.callIds ?? CALL_IDS, TOOL_NAMES, context);
  return { context, dialect: context.dialect, names, vendor, isReply, calls: new Map() };
}

/** Goes to a part of a message. */
export function enter(turn: Turn, part: number, { context, isReply }: Writing): void {
  if (!isReply) return enterPart(turn, part, context);
  context.trail.enter("parts");
  context.trail.enter(part);
}

export function leave({ context, isReply }: Writing): void {
  context.trail.leave(isReply ? 2 : 3);
}

/** Where a part or a whole stood, if not where it plainly stands. */
export function placeOf(part: { extra?: Extra }, { dialect }: Writing): string | undefined {
  if (part.extra === undefined) return undefined;
  const place = formOf(part, dialect)["in"];
  return typeof place === "string" ? place : undefined;
}

const NO_BLOCKS: ReadonlySet<string> = new Set(["tool-call", "tool-result", "reasoning", "refusal"]);
const BOOKKEEPING = { size: "bookkeeping", issuer: "bookkeeping" } as const;

/** What every part may have: residue, seals, a cache breakpoint, and fields that the wire has no word for. */
export function finishPart(
  wire: JsonObject,
  part: Part,
  carried: ReadonlySet<string>,
  writing: Writing,
  inner?: string,
  sealed?: SealKind,
): JsonObject {
  const { context } = writing;
  reportUncarried(part, carried, context, "field-unsaid", BOOKKEEPING);
  if (part.seals !== undefined) reportSeals(part, context, sealed);
  if (part.cache !== undefined) {
    // Only blocks of content have a place for it.
    if (NO_BLOCKS.has(part.type)) context.report.lose("bookkeeping", "cache");
    else writeCache(wire, part, writing);
  }
  if (part.extra !== undefined) {
    reportForeignResidue(part, context);
    restoreResidue(wire, part, context, inner);
  }
  return wire;
}

/** The fields of a part that need no word of their own here, and those given. */
export function carrying(...fields: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", "cache", ...fields]);
}

/** Whether a field was absent where the plain form has it. */
export function wasAbsent(target: { extra?: Extra }, field: string, { dialect }: { dialect: string }): boolean {
  if (target.extra === undefined) return false;
  const { absent } = formOf(target, dialect);
  return Array.isArray(absent) && absent.includes(field);
}
