// `extra` on the wire: data by provider name. Most of it is the message's residue of that provider's dialect; thinking
// blocks and thought signatures become seals; what is no object, or has this dialect's own name, stays its own.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
import { ABSENT, note } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { sealOf } from "./rest.ts";
import { ANTHROPIC, FLAT, GEMINI, SEALING } from "./terms.ts";

/** The lists of one message that become seals. Decoders take what they can use; what is left is stale. */
export type SealLists = Record<(typeof SEALING)[number]["key"], JsonValue[]>;

/** Name in `extra` ⇄ dialect: `claude` is anthropic, so a key `anthropic` has to be another one; the rest are equal. */
function counterpart(name: string): string {
  return name === "claude" ? ANTHROPIC : name === ANTHROPIC ? "claude" : name;
}

/** Moves provider data to where the model has them; the lists are left for those who know the parts. */
export function decodeProviderData(extra: JsonObject, message: Message): SealLists {
  const own: JsonObject = {};
  const lists: SealLists = { claude: [], gemini: [] };
  for (const name of Object.keys(extra)) {
    const data = extra[name];
    if (!isObject(data) || name === FLAT) {
      copyField(extra, name, own);
      continue;
    }
    let rest: JsonObject | undefined = data;
    for (const { key, field } of SEALING) {
      const list = data[field];
      // One with nothing in it is data like any other.
      if (key !== name || !Array.isArray(list) || list.length === 0) continue;
      lists[key] = list;
      rest = unknownFields(data, new Set([field]));
    }
    if (rest !== undefined) setOwn((message.extra ??= {}), counterpart(name), rest);
  }
  if (Object.keys(own).length > 0) storeResidue(message, FLAT, own, "extra");
  return lists;
}

/** Keeps the lists that nobody took, so that every encoder has to report them. */
export function keepStale(message: Message, lists: SealLists): void {
  for (const { key, stale } of SEALING) {
    if (lists[key].length > 0) storeResidue(message, FLAT, { [stale]: lists[key] });
  }
}

/** Writes `extra`: the lists, and the message's residue of other dialects. */
export function encodeProviderData(wire: JsonObject, message: Message, lists: SealLists, context: FlatContext): void {
  const extra: Record<string, JsonObject> = {};
  for (const { key, field } of SEALING) if (lists[key].length > 0) extra[key] = { [field]: lists[key] };
  for (const [dialect, residue] of Object.entries(message.extra ?? {})) {
    if (dialect === FLAT) continue;
    const name = counterpart(dialect);
    const data = (Object.hasOwn(extra, name) ? extra[name] : undefined) ?? {};
    for (const each of Object.keys(residue)) {
      if (Object.hasOwn(data, each)) context.report.addLoss("residue-clash", ["extra", dialect, each]);
      else copyField(residue, each, data);
    }
    setOwn(extra, name, data);
  }
  if (Object.keys(extra).length > 0 || isObject(message.extra?.[FLAT]?.["extra"])) wire["extra"] = extra;
}

/** Puts Gemini's thought signatures on their parts: there is a string or null for each, in order (B9). Returns others. */
export function decodeSignatures(list: JsonValue[], { parts }: Message, context: DecodeContext): JsonValue[] {
  const isSealed = list.some((entry, index) => index < parts.length && typeof entry === "string" && entry !== "");
  parts.forEach((part, index) => {
    const entry = list[index];
    if (typeof entry === "string" && entry !== "") {
      part.seals = [...(part.seals ?? []), sealOf(context, GEMINI, "signature", entry)];
    } else if (isSealed ? entry === undefined : entry === null) {
      // Plain is an entry for every part, as soon as one has a signature.
      note(part, "thought_signature", entry === undefined ? ABSENT : entry);
    } else if (entry === "") note(part, "thought_signature", entry);
  });
  return list.filter((entry, index) => index >= parts.length || (entry !== null && typeof entry !== "string"));
}

/** The list for what each part has: a signature, an empty entry, or nothing. */
export function encodeSignatures(
  pieces: readonly { thought: string | undefined; spelled: JsonValue | undefined }[],
): JsonValue[] {
  const isSealed = pieces.some(({ thought }) => thought !== undefined);
  const isSaid = pieces.map(
    ({ thought, spelled }) => thought !== undefined || (spelled === undefined ? isSealed : spelled !== ABSENT),
  );
  const end = isSaid.lastIndexOf(true) + 1;
  return pieces.slice(0, end).map(({ thought, spelled }) => thought ?? (spelled === "" ? "" : null));
}
