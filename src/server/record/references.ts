// Items that a Responses client names instead of sending them, as the AI SDK does with every text that it thinks stored:
// they are put back from the answers that they are of, for every upstream.
import { dialect } from "../../dialects/index.ts";
import { hash } from "../../dialects/kit/names.ts";
import type { RunInfo } from "../../ledger/index.ts";
import type { Delta, Message, Part } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import type { Caller } from "../types.ts";
import { nameOf, runNamed } from "./names.ts";
import { answerOf, responseOf } from "./stored-answer.ts";
import type { RecordedCall } from "./types.ts";

const RESPONSES = "openai-responses";
const responses = dialect(RESPONSES);

/** Ids that were made for a client have the hash of the answer's own id in them. */
const MADE = /^[a-z]+_koine_([0-9a-z]+)_\d+$/;

/** The name under which the answer is found that an item is of. */
function aliasOf(caller: Caller, itemId: string): string {
  const [, seed] = MADE.exec(itemId) ?? [];
  return seed === undefined ? nameOf("item", caller, itemId) : nameOf("items", caller, seed);
}

/** So many items of one answer can be named: those that it ends with, as its words do. */
const MOST_ITEMS = 500;

/** The names under which the items of an answer are found; `ids` are those that its provider gave them. */
export function itemAliases(caller: Caller, responseId: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [nameOf("items", caller, hash(responseId))];
  return [...new Set(ids.slice(-MOST_ITEMS).map((id) => aliasOf(caller, id)))];
}

/** The items of an answer cannot be named any more. */
export async function dropItems(caller: Caller, run: RunInfo, responseId: string): Promise<void> {
  const { ledger } = caller;
  const answer = await answerOf(ledger, run);
  if (answer === undefined) return;
  for (const name of itemAliases(caller, responseId, idsOf(answer))) {
    // Another answer may have been given the same ids.
    if ((await ledger.runByAlias(name))?.id === run.id) await ledger.dropAlias(name);
  }
}

/** Whether a client may name the items of its answer later. */
export function isReferable({ dialect: said, referable }: RecordedCall): boolean {
  return said === RESPONSES && referable !== false;
}

/** The ids that a provider gave to items of its answer. */
export function idsIn(deltas: readonly Delta[]): string[] {
  const ids: string[] = [];
  for (const { kind, payload } of deltas) if (kind === "seal" && isItemId(payload.seal)) ids.push(payload.seal.value);
  return ids;
}
export function idsOf({ parts }: Message): string[] {
  return parts.flatMap(({ seals = [] }) => seals.filter(isItemId).map(({ value }) => value));
}

function isItemId(seal: { dialect: string; kind: string }): boolean {
  return seal.dialect === RESPONSES && seal.kind === "id";
}

/** The call with the items themselves in their place; what is not known stays a reference. */
export async function withItems(call: RecordedCall): Promise<RecordedCall> {
  const { request, caller } = call;
  if (call.dialect !== RESPONSES) return call;
  const found = new Map<string, readonly Part[]>();
  for (const { parts } of request.messages) {
    for (const part of parts) {
      const id = referenceOf(part);
      if (id === undefined || found.has(id)) continue;
      const item = await partsOf(caller, id);
      if (item !== undefined) found.set(id, item);
    }
  }
  if (found.size === 0) return call;
  const put = (part: Part): readonly Part[] => found.get(referenceOf(part) ?? "") ?? [part];
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.flatMap(put),
  }));
  return { ...call, request: { ...request, messages } };
}

function referenceOf(part: Part): string | undefined {
  if (part.type !== "opaque" || part.dialect !== RESPONSES || !isObject(part.value)) return undefined;
  const { type = "item_reference", id } = part.value;
  return type === "item_reference" && typeof id === "string" ? id : undefined;
}

/** What an item says, without its id: whose it is, recognising the history tells. */
async function partsOf(caller: Caller, itemId: string): Promise<readonly Part[] | undefined> {
  const { ledger } = caller;
  const run = await runNamed(ledger, aliasOf(caller, itemId));
  // Which one is meant only its provider can tell.
  if (run === undefined || run === "several") return undefined;
  const answer = await answerOf(ledger, run);
  if (answer === undefined) return undefined;
  const { wire } = responses.encodeResponse(responseOf(answer, run));
  const items: unknown = isObject(wire) ? wire["output"] : undefined;
  const item = (Array.isArray(items) ? items : []).filter(isObject).find(({ id }) => id === itemId);
  if (item === undefined) return undefined;
  const { id: _, ...bare } = item;
  return responses.decodeRequest({ model: "", input: [bare] }).messages.flatMap(({ parts }) => parts);
}
