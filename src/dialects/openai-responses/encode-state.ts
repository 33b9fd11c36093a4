// State for encoding Responses items, access to the stored form of values, and the completion of items.
import type { JsonObject } from "../../model/json/index.ts";
import type { Part, PartBase, ToolCallPart, ToolResultPart, WithExtra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameRule } from "../kit/tools/tool-renames.ts";
import { shortHash, RenameTable } from "../kit/tools/tool-renames.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { reportUnsentSeals, findSealValue } from "../kit/seals/seals.ts";
import type { OutgoingTurn } from "../kit/history/turn.ts";
import { enterPart } from "../kit/history/turn.ts";
import type { ResponsesLossCode } from "./losses.ts";
import type { ToolItemType } from "./items/tool-item-types.ts";

const CALL_IDS: NameRule = { accepted: /^[^]{1,64}$/, invalidCharacters: /[^!-~]/g, maxLength: 64 };
const TOOL_NAMES: NameRule = {
  accepted: /^[a-zA-Z0-9_-]{1,128}$/,
  invalidCharacters: /[^a-zA-Z0-9_-]/g,
  maxLength: 128,
};

/** The marker in item ids that Koine makes for a client. */
const MADE_ID_MARKER = "_koine_";

export interface ResponsesEncodeState {
  readonly context: EncodeContext<ResponsesLossCode>;
  readonly names: RenameTable;
  readonly items: JsonObject[];
  /**
   * The seed for made item ids. Set for an answer to a client: every item needs an id, and loss paths start at the
   * message.
   */
  readonly idSeed: string | undefined;
  /** True if the provider stores nothing, so that an item sent by its id alone is not found (B13). */
  readonly isStateless: boolean;
  /** The encoded calls by id, with their tool names and item types. */
  readonly calls: Map<string, { name: string; itemType: ToolItemType }>;
  /** Results that are encoded in the item of their call. */
  readonly callsByResult: Map<ToolResultPart, ToolCallPart>;
  /**
   * True if item ids must be omitted because their reasoning was dropped: with an id, the provider requires its
   * reasoning (B12).
   */
  withholdsIds: boolean;
  madeIdCount: number;
  /** The history that is being encoded. */
  turns: readonly OutgoingTurn[];
  /** Calls whose result starts with an image; computed on first use. */
  callsWithScreenshot: ReadonlySet<string> | undefined;
  /** The next part after the reasoning that is being encoded, and its position. */
  nextPart?: { readonly turn: number; readonly at: number; readonly part: Part | undefined };
  /** The results of a message that belong into the items of its calls, by the index of the call. */
  resultsInCalls?: { readonly parts: readonly Part[]; readonly results: ReadonlyMap<number, ToolResultPart> };
  /** The call that the end of the answer cut off. */
  cutOffCall?: ToolCallPart | undefined;
}

export function createEncodeState(
  context: EncodeContext<ResponsesLossCode>,
  idSeed?: string,
  isStateless = false,
): ResponsesEncodeState {
  const names = new RenameTable(CALL_IDS, TOOL_NAMES, context);
  return {
    context,
    names,
    items: [],
    idSeed,
    isStateless,
    calls: new Map(),
    callsByResult: new Map(),
    withholdsIds: false,
    madeIdCount: 0,
    turns: [],
    callsWithScreenshot: undefined,
  };
}

/** Enters the path of a part, for losses. */
export function enterPartPath(turn: OutgoingTurn, part: number, { context, idSeed }: ResponsesEncodeState): void {
  if (idSeed === undefined) return enterPart(turn, part, context);
  context.pathTracker.enter("parts");
  context.pathTracker.enter(part);
}

export function leavePartPath({ context, idSeed }: ResponsesEncodeState): void {
  context.pathTracker.leave(idSeed === undefined ? 3 : 2);
}

const EMPTY_FORM: JsonObject = {};

/** Returns the stored form of a value; an empty object if it was plain. */
export function readOwnForm(target: WithExtra, { dialect }: { dialect: string }): JsonObject {
  return target.extra === undefined ? EMPTY_FORM : readForm(target, dialect);
}

/** True if a plain field was absent on the wire. */
export function wasAbsent(target: WithExtra, field: string, context: { dialect: string }): boolean {
  const { absent } = readOwnForm(target, context);
  return Array.isArray(absent) && absent.includes(field);
}

/** True if a plain field must not be filled in: it was absent on the wire, or residue has its place. */
export function wasOmitted(target: WithExtra, field: string, context: { dialect: string }): boolean {
  return wasAbsent(target, field, context) || target.extra?.[context.dialect]?.[field] !== undefined;
}

/** True if a value has residue of this dialect. */
export function hasOwnResidue({ extra }: WithExtra, { dialect }: { dialect: string }): boolean {
  return extra?.[dialect] !== undefined;
}

/** Returns the id of an item: its own one, or a made one if the item is for a client and has a `prefix`. */
export function encodeItemId(
  part: PartBase,
  prefix: string | undefined,
  state: ResponsesEncodeState,
): string | undefined {
  const id = findSealValue(part, "id", state.context);
  // The API rejects an empty id (B13).
  const isRefused = state.withholdsIds || (id === "" && state.context.repair);
  if (id !== undefined && !isRefused) return id;
  if (state.idSeed === undefined || prefix === undefined || readOwnForm(part, state.context)["bare"] === true)
    return undefined;
  return `${prefix}${MADE_ID_MARKER}${shortHash(state.idSeed)}_${state.madeIdCount++}`;
}

/** True if Koine made the id, so that no provider knows it. */
export function isMadeId(id: string): boolean {
  return id.includes(MADE_ID_MARKER);
}

/** Completes an item with its status and residue. */
export function finishItem(
  item: JsonObject,
  part: Part,
  plainStatus: string | undefined,
  state: ResponsesEncodeState,
): JsonObject {
  const { context } = state;
  const { status } = readOwnForm(part, context);
  const residueStatus = part.extra?.[context.dialect]?.["status"];
  if (plainStatus !== undefined && status !== null && residueStatus === undefined) item["status"] = plainStatus;
  if (part.extra !== undefined) restoreResidue(item, part, context);
  return item;
}

const METADATA_FIELDS = { cache: "metadata-dropped", size: "metadata-dropped" } as const;

/** Reports the fields, seals and residue of a part that are not encoded. */
export function reportPart(
  part: Part,
  supported: ReadonlySet<string>,
  { context }: ResponsesEncodeState,
  seal?: string,
  otherSeal?: string,
): void {
  reportUnsupportedFields(part, supported, context, "field-unsupported", METADATA_FIELDS);
  // A request goes to the issuer of its files; a bare list of messages can be sent to any provider.
  if ("issuer" in part && part.issuer !== undefined && context.pathTracker.isInList)
    context.report.addLoss("metadata-dropped", "issuer");
  if (part.seals !== undefined) reportUnsentSeals(part, context, seal, otherSeal);
  if (part.extra === undefined) return;
  reportNotPortableResidue(part, context);
  // A finished text that contradicted its deltas is not restored: the deltas are the content.
  if (readOwnForm(part, context)["said"] !== undefined)
    context.report.addLoss("field-unsupported", ["extra", context.dialect, "$form", "said"]);
}

/** Returns the field names that every part supports, plus the given ones. */
export function supportedFields(...fields: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", "issuer", ...fields]);
}
