// The field `extra` of a flat message: data by provider name. It becomes the residue of that provider's dialect; thinking
// blocks and thought signatures become seals. Values that are not objects, and the key `flat`, stay residue of `flat`.
import { setOwn } from "../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";
import { ABSENT, storeFlatForm } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { createFlatSeal } from "./report-part.ts";
import { ANTHROPIC, FLAT, GEMINI, SEAL_LISTS } from "./wire-names.ts";

/** The lists of one message that become seals. Decoders remove the entries that they use; the rest is stale. */
export type SealLists = Record<(typeof SEAL_LISTS)[number]["key"], JsonValue[]>;

/** Maps a name in `extra` to a dialect, and back: `claude` is `anthropic`, so that a key `anthropic` becomes `claude`. */
function toCounterpartName(name: string): string {
  return name === "claude" ? ANTHROPIC : name === ANTHROPIC ? "claude" : name;
}

/** Stores provider data as residue of the providers' dialects, and returns the lists that become seals. */
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
      // An empty list is ordinary data.
      if (key !== name || !Array.isArray(list) || list.length === 0) continue;
      lists[key] = list;
      rest = unknownFields(data, new Set([field]));
    }
    if (rest !== undefined) setOwn((message.extra ??= {}), toCounterpartName(name), rest);
  }
  if (Object.keys(own).length > 0) storeResidue(message, FLAT, own, "extra");
  return lists;
}

/** Stores the unused lists as residue, so that every encoder reports them. */
export function storeStaleLists(message: Message, lists: SealLists): void {
  for (const { key, stale } of SEAL_LISTS) {
    if (lists[key].length > 0) storeResidue(message, FLAT, { [stale]: lists[key] });
  }
}

/** Writes `extra`: the lists, and the message's residue of other dialects. */
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

/** Adds Gemini's thought signatures, one string or null per part in order (B9), as seals. Returns unused entries. */
export function addThoughtSignatures(list: JsonValue[], { parts }: Message, context: DecodeContext): JsonValue[] {
  const isSealed = list.some((entry, index) => index < parts.length && typeof entry === "string" && entry !== "");
  parts.forEach((part, index) => {
    const entry = list[index];
    if (typeof entry === "string" && entry !== "") {
      part.seals = [...(part.seals ?? []), createFlatSeal(context, GEMINI, "signature", entry)];
    } else if (isSealed ? entry === undefined : entry === null) {
      // The plain form has an entry for every part if any part has a signature.
      storeFlatForm(part, "thought_signature", entry === undefined ? ABSENT : entry);
    } else if (entry === "") storeFlatForm(part, "thought_signature", entry);
  });
  return list.filter((entry, index) => index >= parts.length || (entry !== null && typeof entry !== "string"));
}

/** Returns the list of thought signatures, in the stored form of its empty entries. */
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
