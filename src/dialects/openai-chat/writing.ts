// What everything in a history or an answer is written with, and how things were spelled.
import type { JsonValue } from "../../model/json.ts";
import type { Extra, Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameRule } from "../kit/names.ts";
import { NameBook } from "../kit/names.ts";
import { isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { enterPart } from "../kit/turn.ts";
import type { Code } from "./losses.ts";
import type { Vendor } from "./vendors.ts";
import { vendorOf } from "./vendors.ts";

interface Carrier {
  extra?: Extra;
}

const CALL_IDS: NameRule = { fits: /^.{1,40}$/s, odd: /[^!-~]/g, max: 40 };
const TOOL_NAMES: NameRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, odd: /[^a-zA-Z0-9_-]/g, max: 64 };

/** What the result of a call needs to know of it. */
interface WrittenCall {
  name: string;
  isCustom: boolean;
  /** A `function_call`, which is answered by name. */
  isLegacy: boolean;
  /** Left out, and so is its result. */
  isApproval?: true;
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
  /** A call that the end of its answer says to be cut off. */
  cut?: Part | undefined;
}

export function startWriting(context: EncodeContext<Code>, isReply = false): Writing {
  const vendor = vendorOf(context.vendor);
  const names = new NameBook(vendor?.callIds ?? CALL_IDS, TOOL_NAMES, context);
  return { context, dialect: context.dialect, names, vendor, isReply, calls: new Map() };
}

/** Goes to a part of a message. */
export function enter(turn: Turn, part: number, { context, isReply }: Writing): void {
  if (!isReply) return enterPart(turn, part, context);
  context.pathTracker.enter("parts");
  context.pathTracker.enter(part);
}

export function leave({ context, isReply }: Writing): void {
  context.pathTracker.leave(isReply ? 2 : 3);
}

/** Where a part or a whole stood, if not where it plainly stands. */
export function placeOf(part: Carrier, writing: Writing): string | undefined {
  const place = spelling(part, "in", writing);
  return typeof place === "string" ? place : undefined;
}

/** How something was spelled; undefined where it was plain. */
export function spelling(target: Carrier, what: string, { dialect }: Writing): JsonValue | undefined {
  return target.extra === undefined ? undefined : readForm(target, dialect)[what];
}

/** Whether a field of the plain form may be filled in: it was not absent, and nothing that was kept stands there. */
export function isFree(target: Carrier, field: string, writing: Writing, inner?: string): boolean {
  const kept = target.extra?.[writing.dialect];
  if (kept === undefined) return true;
  const around = inner === undefined ? kept : kept[inner];
  const absent = spelling(target, "absent", writing);
  return !(isObject(around) && Object.hasOwn(around, field)) && !(Array.isArray(absent) && absent.includes(field));
}
