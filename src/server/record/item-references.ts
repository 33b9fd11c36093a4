// Resolves the `item_reference` items of Responses requests. The AI SDK sends references instead of items that the
// server should have stored. The items are read from recorded answers, so references work for upstreams of all
// dialects.
import { dialect } from "../../dialects/index.ts";
import { shortHash } from "../../dialects/kit/tools/tool-renames.ts";
import type { RunInfo } from "../../ledger/index.ts";
import type { Delta, Message, Part } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Caller } from "../types.ts";
import { createAlias, findRunByAlias } from "./run-aliases.ts";
import { readAnswer, toStoredResponse } from "./stored-answer.ts";
import type { RecordedCall } from "./types.ts";

const RESPONSES = "openai-responses";
const responses = dialect(RESPONSES);

/** Matches an item id that Koine created. The captured group is the hash of the response id. */
const KOINE_ITEM_ID = /^[a-z]+_koine_([0-9a-z]+)_\d+$/;

/**
 * Returns the alias of the run whose answer contains the item. An item id that Koine created contains the hash of the
 * response id, so all these items of an answer share one alias.
 */
function itemAlias(caller: Caller, itemId: string): string {
  const [, seed] = KOINE_ITEM_ID.exec(itemId) ?? [];
  return seed === undefined ? createAlias("item", caller, itemId) : createAlias("items", caller, seed);
}

/**
 * The maximum number of item aliases of an answer. The last items of a longer answer get the aliases, because the text
 * of an answer comes last.
 */
const MAX_ITEM_ALIASES = 500;

/**
 * Returns the run aliases for the items of an answer: one for each of the provider's item ids (`ids`) or, if the
 * provider sent none, one for all item ids that Koine creates from the response id.
 */
export function itemAliases(caller: Caller, responseId: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [createAlias("items", caller, shortHash(responseId))];
  return [...new Set(ids.slice(-MAX_ITEM_ALIASES).map((id) => itemAlias(caller, id)))];
}

/** Removes the item aliases of a deleted response. */
export async function dropItemAliases(caller: Caller, run: RunInfo, responseId: string): Promise<void> {
  const { ledger } = caller;
  const answer = await readAnswer(ledger, run);
  if (answer === undefined) return;
  for (const name of itemAliases(caller, responseId, readItemIds(answer))) {
    // An alias that now belongs to another run is not removed.
    if ((await ledger.runByAlias(name))?.id === run.id) await ledger.dropAlias(name);
  }
}

/** True if the client may refer to the items of the answer later. */
export function isReferable({ dialect: clientDialect, referable }: RecordedCall): boolean {
  return clientDialect === RESPONSES && referable !== false;
}

/** Returns the provider's item ids in the deltas. An item id is a seal of kind "id". */
export function readItemIdsOfDeltas(deltas: readonly Delta[]): string[] {
  const ids: string[] = [];
  for (const { kind, payload } of deltas) if (kind === "seal" && isItemId(payload.seal)) ids.push(payload.seal.value);
  return ids;
}
export function readItemIds({ parts }: Message): string[] {
  return parts.flatMap(({ seals = [] }) => seals.filter(isItemId).map(({ value }) => value));
}

function isItemId(seal: { dialect: string; kind: string }): boolean {
  return seal.dialect === RESPONSES && seal.kind === "id";
}

/** Returns the call with item references replaced by the parts of the items. Unknown references are not changed. */
export async function resolveItemReferences(call: RecordedCall): Promise<RecordedCall> {
  const { request, caller } = call;
  if (call.dialect !== RESPONSES) return call;
  const partsById = new Map<string, readonly Part[]>();
  for (const { parts } of request.messages) {
    for (const part of parts) {
      const id = readItemReference(part);
      if (id === undefined || partsById.has(id)) continue;
      const item = await findItemParts(caller, id);
      if (item !== undefined) partsById.set(id, item);
    }
  }
  if (partsById.size === 0) return call;
  const resolvePart = (part: Part): readonly Part[] => partsById.get(readItemReference(part) ?? "") ?? [part];
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.flatMap(resolvePart),
  }));
  return { ...call, request: { ...request, messages } };
}

function readItemReference(part: Part): string | undefined {
  if (part.type !== "opaque" || part.dialect !== RESPONSES || !isObject(part.value)) return undefined;
  const { type = "item_reference", id } = part.value;
  return type === "item_reference" && typeof id === "string" ? id : undefined;
}

/**
 * Returns the parts of an item without the item's id, because `findThread` restores the id later. Returns undefined if
 * the item is unknown, or if runs of several threads have an item with this id.
 */
async function findItemParts(caller: Caller, itemId: string): Promise<readonly Part[] | undefined> {
  const { ledger } = caller;
  const run = await findRunByAlias(ledger, itemAlias(caller, itemId));
  // If no run or several runs have the item id, the reference is not resolved, because only the provider may know the
  // item.
  if (run === undefined || run === "several") return undefined;
  const answer = await readAnswer(ledger, run);
  if (answer === undefined) return undefined;
  const { wire } = responses.encodeResponse(toStoredResponse(answer, run));
  const items: unknown = isObject(wire) ? wire["output"] : undefined;
  const item = (Array.isArray(items) ? items : []).filter(isObject).find(({ id }) => id === itemId);
  if (item === undefined) return undefined;
  const { id: _, ...bare } = item;
  return responses.decodeRequest({ model: "", input: [bare] }).messages.flatMap(({ parts }) => parts);
}
