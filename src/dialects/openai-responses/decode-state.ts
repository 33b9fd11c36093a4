// Declares the state for decoding Responses items, and stores an item's id, status and unknown fields.
import type { JsonObject } from "../../model/json/index.ts";
import type { PartBase } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import { copyField } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";
import { addSeal } from "../kit/seals/seals.ts";
import type { ToolItemType } from "./items/tool-item-types.ts";

/** Assigns ids to calls and matches results with calls. */
export type CallIdAssigner = Pick<ToolCallIds, "add" | "matchResult">;

export interface ResponsesDecodeState {
  readonly context: DecodeContext;
  readonly calls: CallIdAssigner;
  /** The item types of the calls, by call id. */
  readonly toolTypesByCallId: Map<string, ToolItemType>;
  /** Ids of calls that the provider runs and whose results are separate items. */
  readonly hostedCallIds: Set<string>;
  /** True for a response, whose items form one assistant message. */
  readonly isResponse: boolean;
  readonly renames: Renames | undefined;
}

export function createDecodeState(
  context: DecodeContext,
  isResponse = false,
  seed = "",
  renames?: Renames,
): ResponsesDecodeState {
  return {
    context,
    calls: new ToolCallIds(context.dialect, seed),
    toolTypesByCallId: new Map(),
    hostedCallIds: new Set(),
    isResponse,
    renames,
  };
}

/** Stores an item's id as a seal, a status other than `plainStatus` (the default status), and unknown fields. */
export function storeItemFields(
  part: PartBase,
  item: JsonObject,
  known: readonly string[],
  plainStatus: string | undefined,
  state: ResponsesDecodeState,
): void {
  if (!known.includes("id")) decodeItemId(part, item, state);
  let rest: JsonObject | undefined;
  let hasPlainStatus = plainStatus === undefined;
  for (const key in item) {
    const value = item[key];
    if (value === undefined || key === "type" || known.includes(key)) continue;
    if (key === "id" && typeof value === "string") continue;
    if (key === "status") {
      hasPlainStatus = true;
      if (value === plainStatus) continue;
    }
    copyField(item, key, (rest ??= {}));
  }
  const { dialect } = state.context;
  if (!hasPlainStatus) storeForm(part, dialect, "status", null);
  storeResidue(part, dialect, rest);
}

/**
 * Stores the item's id as a seal and returns true if the item has an id. A form marks an item of a response that has no
 * id.
 */
export function decodeItemId(
  part: PartBase,
  { id }: JsonObject,
  { context, isResponse }: ResponsesDecodeState,
): boolean {
  const hasId = typeof id === "string";
  if (hasId) addSeal(part, "id", id, context);
  else if (isResponse) storeForm(part, context.dialect, "bare", true);
  return hasId;
}
