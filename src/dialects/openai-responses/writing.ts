// What items are written with, and what is reported and put back when one has been made.
import type { JsonObject } from "../../model/json.ts";
import type { Extra, Part, PartBase, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameRule } from "../kit/names.ts";
import { hash, NameBook } from "../kit/names.ts";
import { readForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportSeals, sealOf } from "../kit/seals.ts";
import type { Turn } from "../kit/turn.ts";
import { enterPart } from "../kit/turn.ts";
import type { Code } from "./losses.ts";
import type { ToolRow } from "./tool-rows.ts";

const CALL_IDS: NameRule = { fits: /^[^]{1,64}$/, odd: /[^!-~]/g, max: 64 };
const TOOL_NAMES: NameRule = { fits: /^[a-zA-Z0-9_-]{1,128}$/, odd: /[^a-zA-Z0-9_-]/g, max: 128 };

/** What ids that Koine makes for a client have in them. */
const MADE = "_koine_";

export interface Writing {
  readonly context: EncodeContext<Code>;
  readonly names: NameBook;
  readonly items: JsonObject[];
  /** An answer to a client: the trail stands at its message, and every item needs an id. */
  readonly seed: string | undefined;
  /** Nothing is stored at the provider: what is sent by its id alone is not found (B13). */
  readonly isStateless: boolean;
  /** The calls so far, by id: what their tool is called, and how they were written. */
  readonly calls: Map<string, { name: string; row: ToolRow }>;
  /** The results that stand in the item of their call. */
  readonly answers: Map<ToolResultPart, ToolCallPart>;
  /** Ids of items whose reasoning was left out: the provider would ask for it (B12). */
  withholdsIds: boolean;
  made: number;
  /** The history that is written. */
  turns: readonly Turn[];
  /** The calls that are answered with a picture; known when somebody has asked. */
  shown: ReadonlySet<string> | undefined;
  /** What goes out next after the thoughts that are being written, and where it stands. */
  ahead?: { readonly turn: number; readonly at: number; readonly part: Part | undefined };
  /** The results of a message that stand in the items of its calls, by the places of the calls. */
  inside?: { readonly parts: readonly Part[]; readonly answers: ReadonlyMap<number, ToolResultPart> };
  /** A call that the end of its answer says to be cut off. */
  cut?: ToolCallPart | undefined;
}

export function startWriting(context: EncodeContext<Code>, seed?: string, isStateless = false): Writing {
  const names = new NameBook(CALL_IDS, TOOL_NAMES, context);
  return {
    context,
    names,
    items: [],
    seed,
    isStateless,
    calls: new Map(),
    answers: new Map(),
    withholdsIds: false,
    made: 0,
    turns: [],
    shown: undefined,
  };
}

/** Goes to a part of a message. */
export function enter(turn: Turn, part: number, { context, seed }: Writing): void {
  if (seed === undefined) return enterPart(turn, part, context);
  context.pathTracker.enter("parts");
  context.pathTracker.enter(part);
}

export function leave({ context, seed }: Writing): void {
  context.pathTracker.leave(seed === undefined ? 3 : 2);
}

const NONE: JsonObject = {};

/** How something was spelled; nothing where it was plain. */
export function spelled(target: { extra?: Extra }, { dialect }: { dialect: string }): JsonObject {
  return target.extra === undefined ? NONE : readForm(target, dialect);
}

/** Whether a field was absent where the plain form has it. */
export function wasAbsent(target: { extra?: Extra }, field: string, context: { dialect: string }): boolean {
  const { absent } = spelled(target, context);
  return Array.isArray(absent) && absent.includes(field);
}

/** Whether this dialect has kept something beside a value. */
export function hasOwn({ extra }: { extra?: Extra }, { dialect }: { dialect: string }): boolean {
  return extra?.[dialect] !== undefined;
}

/** The id of an item: its own, or one made for a client, where it begins with something. */
export function itemId(part: PartBase, prefix: string | undefined, writing: Writing): string | undefined {
  const id = sealOf(part, "id", writing.context);
  // An empty id is refused (B13).
  const isRefused = writing.withholdsIds || (id === "" && writing.context.repair);
  if (id !== undefined && !isRefused) return id;
  if (writing.seed === undefined || prefix === undefined || spelled(part, writing.context)["bare"] === true)
    return undefined;
  return `${prefix}${MADE}${hash(writing.seed)}_${writing.made++}`;
}

/** Whether Koine made an id: no provider knows it. */
export function isMadeId(id: string): boolean {
  return id.includes(MADE);
}

/** Writes what an item says about itself, and puts back what was kept of it. */
export function finishItem(
  item: JsonObject,
  part: Part,
  plainStatus: string | undefined,
  writing: Writing,
): JsonObject {
  const { context } = writing;
  const { status } = spelled(part, context);
  const kept = part.extra?.[context.dialect]?.["status"];
  if (plainStatus !== undefined && status !== null && kept === undefined) item["status"] = plainStatus;
  if (part.extra !== undefined) restoreResidue(item, part, context);
  return item;
}

const UNCARRIED = { cache: "bookkeeping", size: "bookkeeping" } as const;

/** Reports what of a part does not travel. */
export function reportPart(
  part: Part,
  carried: ReadonlySet<string>,
  { context }: Writing,
  seal?: string,
  otherSeal?: string,
): void {
  reportUnsupportedFields(part, carried, context, "field-unsaid", UNCARRIED);
  // A request goes to the issuer of what it sends; a bare list of messages may go anywhere.
  if ("issuer" in part && part.issuer !== undefined && context.pathTracker.isInList)
    context.report.addLoss("bookkeeping", "issuer");
  if (part.seals !== undefined) reportSeals(part, context, seal, otherSeal);
  if (part.extra === undefined) return;
  reportNotPortableResidue(part, context);
  // What the end of a stream said otherwise than its pieces; they stand.
  if (spelled(part, context)["said"] !== undefined)
    context.report.addLoss("field-unsaid", ["extra", context.dialect, "$form", "said"]);
}

/** The fields of a part that need no word of their own here, and those given. */
export function carrying(...fields: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", "issuer", ...fields]);
}
