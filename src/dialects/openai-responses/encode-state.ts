// Declares the state for encoding Responses items, reads stored forms, and completes items with ids, status and
// residue.
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

/** The marker in item ids that Koine makes for a client. A provider does not know these ids. */
const MADE_ID_MARKER = "_koine_";

export interface ResponsesEncodeState {
  readonly context: EncodeContext<ResponsesLossCode>;
  readonly names: RenameTable;
  readonly items: JsonObject[];
  /**
   * The seed for item ids that Koine makes, because each item of a response needs an id; undefined while a request is
   * encoded. Loss paths of a response start at its message, loss paths of a request at a list of messages.
   */
  readonly idSeed: string | undefined;
  /**
   * True if the provider does not store responses, so that it cannot find reasoning that is sent by its id alone (B13).
   */
  readonly isStateless: boolean;
  /** The encoded calls by canonical call id, with their tool names and item types. */
  readonly calls: Map<string, { name: string; itemType: ToolItemType }>;
  /** Maps each result that is encoded in the item of its call to that call. */
  readonly callsByResult: Map<ToolResultPart, ToolCallPart>;
  /**
   * True if item ids must be omitted, because the reasoning before the items was dropped: the provider rejects an item
   * id without the reasoning that belongs to it (B12).
   */
  withholdsIds: boolean;
  /** The number of item ids that Koine has made. */
  madeIdCount: number;
  /** The history that is being encoded. */
  turns: readonly OutgoingTurn[];
  /** Ids of the calls whose result starts with an image; undefined until it is first needed. */
  callsWithScreenshot: ReadonlySet<string> | undefined;
  /**
   * A cache: the part that follows the reasoning that was encoded last, with the index of its turn and its index within
   * the turn. `part` is undefined if nothing follows.
   */
  nextPart?: { readonly turn: number; readonly at: number; readonly part: Part | undefined };
  /**
   * A cache for the parts of one message: maps the index of a call in `parts` to the result that is encoded in its
   * item.
   */
  resultsInCalls?: { readonly parts: readonly Part[]; readonly results: ReadonlyMap<number, ToolResultPart> };
  /** The last call of an answer that ended before the call was complete; undefined if no call was cut off. */
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

/** Makes the path tracker point to a part, so that losses are reported at the part. */
export function enterPartPath(turn: OutgoingTurn, part: number, { context, idSeed }: ResponsesEncodeState): void {
  if (idSeed === undefined) return enterPart(turn, part, context);
  context.pathTracker.enter("parts");
  context.pathTracker.enter(part);
}

/** Makes the path tracker leave the part that `enterPartPath` entered. */
export function leavePartPath({ context, idSeed }: ResponsesEncodeState): void {
  context.pathTracker.leave(idSeed === undefined ? 3 : 2);
}

const EMPTY_FORM: JsonObject = {};

/** Returns the stored form of a value; an empty object if the wire value had its default spelling. */
export function readOwnForm(target: WithExtra, { dialect }: { dialect: string }): JsonObject {
  return target.extra === undefined ? EMPTY_FORM : readForm(target, dialect);
}

/** True if the decoded payload lacked a field that the encoder writes by default. */
export function wasAbsent(target: WithExtra, field: string, context: { dialect: string }): boolean {
  const { absent } = readOwnForm(target, context);
  return Array.isArray(absent) && absent.includes(field);
}

/**
 * True if the encoder must not write a default value for a field: the decoded payload lacked the field, or residue
 * restores it.
 */
export function wasOmitted(target: WithExtra, field: string, context: { dialect: string }): boolean {
  return wasAbsent(target, field, context) || target.extra?.[context.dialect]?.[field] !== undefined;
}

/** True if a value has residue of this dialect. */
export function hasOwnResidue({ extra }: WithExtra, { dialect }: { dialect: string }): boolean {
  return extra?.[dialect] !== undefined;
}

/**
 * Returns the id of an item: the id of its seal, or an id that Koine makes if the item belongs to a response and has a
 * `prefix`. Otherwise returns undefined.
 */
export function encodeItemId(
  part: PartBase,
  prefix: string | undefined,
  state: ResponsesEncodeState,
): string | undefined {
  const id = findSealValue(part, "id", state.context);
  // An id is not sent if ids are withheld, or if it is empty, because the API rejects an empty id (B13).
  const isRefused = state.withholdsIds || (id === "" && state.context.repair);
  if (id !== undefined && !isRefused) return id;
  if (state.idSeed === undefined || prefix === undefined || readOwnForm(part, state.context)["bare"] === true)
    return undefined;
  return `${prefix}${MADE_ID_MARKER}${shortHash(state.idSeed)}_${state.madeIdCount++}`;
}

/** True if Koine made the item id, so that no provider knows the id. */
export function isMadeId(id: string): boolean {
  return id.includes(MADE_ID_MARKER);
}

/** Completes an item with its status and residue. `plainStatus` is the default status of the item. */
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

/**
 * Reports the fields, seals and residue of a part that are not encoded. `seal` and `otherSeal` are the kinds of seals
 * that are encoded.
 */
export function reportPart(
  part: Part,
  supported: ReadonlySet<string>,
  { context }: ResponsesEncodeState,
  seal?: string,
  otherSeal?: string,
): void {
  reportUnsupportedFields(part, supported, context, "field-unsupported", METADATA_FIELDS);
  // A request goes to the issuer of its files, so the target knows the issuer. A bare list of messages does not name a
  // provider, so the issuer is lost.
  if ("issuer" in part && part.issuer !== undefined && context.pathTracker.isInList)
    context.report.addLoss("metadata-dropped", "issuer");
  if (part.seals !== undefined) reportUnsentSeals(part, context, seal, otherSeal);
  if (part.extra === undefined) return;
  reportNotPortableResidue(part, context);
  // The form `said` stores the finished content of a part whose deltas had other content. It is not restored, because
  // the deltas are the content of the part.
  if (readOwnForm(part, context)["said"] !== undefined)
    context.report.addLoss("field-unsupported", ["extra", context.dialect, "$form", "said"]);
}

/** Returns the field names that Responses supports in every part, plus the given names. */
export function supportedFields(...fields: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", "issuer", ...fields]);
}
