// Decodes and encodes the field `extra` of a flat message, which has one object per provider. The object becomes
// residue of the provider's dialect; thinking blocks and thought signatures in it become seals. Values that are not
// objects, and the key `flat`, become residue of `flat`.
import { setOwn } from "../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";
import { ABSENT, storeFlatForm } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { createFlatSeal } from "./report-part.ts";
import { ANTHROPIC, FLAT, GEMINI, SEAL_LISTS } from "./field-names.ts";

/**
 * The lists of thinking blocks and thought signatures of one message. Decoders remove the entries that they assign to
 * parts; the remaining entries are stale.
 */
export type SealLists = Record<(typeof SEAL_LISTS)[number]["key"], JsonValue[]>;

/**
 * Maps a provider name in `extra` to a dialect, and back. `claude` and `anthropic` are exchanged, so that the mapping
 * is its own inverse.
 */
function toCounterpartName(name: string): string {
  return name === "claude" ? ANTHROPIC : name === ANTHROPIC ? "claude" : name;
}

/**
 * Stores provider data as residue of the providers' dialects, and returns the lists of thinking blocks and thought
 * signatures.
 */
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
    for (const { key, field } of SEAL_LISTS) {
      const list = data[field];
      // An empty list is not a list of seals and becomes residue.
      if (key !== name || !Array.isArray(list) || list.length === 0) continue;
      lists[key] = list;
      rest = unknownFields(data, new Set([field]));
    }
    if (rest !== undefined) setOwn((message.extra ??= {}), toCounterpartName(name), rest);
  }
  if (Object.keys(own).length > 0) storeResidue(message, FLAT, own, "extra");
  return lists;
}

/** Stores the entries that belong to no part as residue, so that every encoder reports them as a loss. */
export function storeStaleLists(message: Message, lists: SealLists): void {
  for (const { key, stale } of SEAL_LISTS) {
    if (lists[key].length > 0) storeResidue(message, FLAT, { [stale]: lists[key] });
  }
}

/** Writes the field `extra`: the lists of seals, and the message's residue of other dialects. */
export function encodeProviderData(
  wire: JsonObject,
  message: Message,
  lists: SealLists,
  context: FlatEncodeContext,
): void {
  const extra: Record<string, JsonObject> = {};
  for (const { key, field } of SEAL_LISTS) if (lists[key].length > 0) extra[key] = { [field]: lists[key] };
  for (const [dialect, residue] of Object.entries(message.extra ?? {})) {
    if (dialect === FLAT) continue;
    const name = toCounterpartName(dialect);
    const data = (Object.hasOwn(extra, name) ? extra[name] : undefined) ?? {};
    for (const each of Object.keys(residue)) {
      if (Object.hasOwn(data, each)) context.report.addLoss("residue-conflict", ["extra", dialect, each]);
      else copyField(residue, each, data);
    }
    setOwn(extra, name, data);
  }
  if (Object.keys(extra).length > 0 || isObject(message.extra?.[FLAT]?.["extra"])) wire["extra"] = extra;
}

/**
 * Adds Gemini's thought signatures to the parts as seals. The list has one string or null per part, in the order of the
 * parts (B9). Returns the entries without a part, and the entries that are neither a string nor null.
 */
export function addThoughtSignatures(list: JsonValue[], { parts }: Message, context: DecodeContext): JsonValue[] {
  const isSealed = list.some((entry, index) => index < parts.length && typeof entry === "string" && entry !== "");
  parts.forEach((part, index) => {
    const entry = list[index];
    if (typeof entry === "string" && entry !== "") {
      part.seals = [...(part.seals ?? []), createFlatSeal(context, GEMINI, "signature", entry)];
    } else if (isSealed ? entry === undefined : entry === null) {
      // By default the list has an entry for every part if any part has a signature, and no entries otherwise. A
      // missing entry in the first case, or a null in the second case, is stored as a form.
      storeFlatForm(part, "thought_signature", entry === undefined ? ABSENT : entry);
    } else if (entry === "") storeFlatForm(part, "thought_signature", entry);
  });
  return list.filter((entry, index) => index >= parts.length || (entry !== null && typeof entry !== "string"));
}

/** Returns the list `thought_signatures` of a message; a missing signature has its stored spelling, or else is null. */
export function listThoughtSignatures(
  parts: readonly { thoughtSignature: string | undefined; signatureForm: JsonValue | undefined }[],
): JsonValue[] {
  const isSealed = parts.some(({ thoughtSignature }) => thoughtSignature !== undefined);
  const hasEntry = parts.map(
    ({ thoughtSignature, signatureForm }) =>
      thoughtSignature !== undefined || (signatureForm === undefined ? isSealed : signatureForm !== ABSENT),
  );
  const end = hasEntry.lastIndexOf(true) + 1;
  return parts
    .slice(0, end)
    .map(({ thoughtSignature, signatureForm }) => thoughtSignature ?? (signatureForm === "" ? "" : null));
}
