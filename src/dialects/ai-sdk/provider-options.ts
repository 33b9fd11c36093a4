// Decodes and encodes provider options (model messages) and provider metadata (UI messages and streams): one object per
// provider. Artifacts that only their issuer can read become seals, a cache breakpoint becomes `cache`; the rest is
// residue that both AI SDK formats share, so that it survives translation between them.
import { setOwn } from "../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { CacheBreakpoint, Issuer, PartBase, Seal, SealKind, WithExtra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import type { NotPortableLoss } from "../kit/losses/catalog.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import { reportNotPortableResidue } from "../kit/residue/unsent-fields.ts";
import type { SealLoss } from "../kit/seals/seals.ts";

/** Key in `extra` of the residue that both formats share. */
const SHARED_RESIDUE = "ai-sdk";

/** The option fields of a provider that are seals. */
interface ProviderSeals extends Issuer {
  /**
   * Keys of the provider in the options. Some providers have two and write every field under both; the first is the
   * default.
   */
  keys: readonly [string, ...string[]];
  fields: Readonly<Record<string, SealKind>>;
}

const OPENAI_FIELDS = { itemId: "id", reasoningEncryptedContent: "encrypted" };
const GOOGLE_FIELDS = { thoughtSignature: "signature" };
const THINKING_FIELDS = { signature: "signature", redactedData: "redacted" };
/** Of several rows for one dialect, the first has no provider and is the default. */
const PROVIDER_SEALS: readonly ProviderSeals[] = [
  { keys: ["anthropic"], dialect: "anthropic", fields: THINKING_FIELDS },
  { keys: ["openai"], dialect: "openai-responses", fields: OPENAI_FIELDS },
  { keys: ["azure"], dialect: "openai-responses", provider: "azure", fields: OPENAI_FIELDS },
  { keys: ["google"], dialect: "gemini", fields: GOOGLE_FIELDS },
  { keys: ["vertex", "googleVertex"], dialect: "gemini", provider: "vertex", fields: GOOGLE_FIELDS },
  { keys: ["bedrock", "amazonBedrock"], dialect: "bedrock", fields: THINKING_FIELDS },
];

/** Returns the option field of a seal; an unknown provider uses the default row of the dialect. */
function findSealField({ dialect, kind, provider }: Seal): { seals: ProviderSeals; field: string } | undefined {
  const candidates = PROVIDER_SEALS.filter((each) => each.dialect === dialect);
  const seals = candidates.find((each) => each.provider === provider) ?? candidates[0];
  const field = seals && Object.keys(seals.fields).find((each) => seals.fields[each] === kind);
  return seals === undefined || field === undefined ? undefined : { seals, field };
}

/** Returns the cache breakpoint if the value is exactly one. */
function readBreakpoint(value: JsonValue | undefined): CacheBreakpoint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const { ttl } = value;
  const size = Object.keys(value).length;
  if (ttl === undefined) return size === 1 ? {} : undefined;
  return size === 2 && (ttl === "5m" || ttl === "1h") ? { ttl } : undefined;
}

/** State of decoding the options of one part. */
interface OptionsDecoding {
  target: PartBase;
  withCache: boolean;
  /** Keys under which seals were found, for providers with two keys. */
  providerKeys: Set<string>;
}

function decodeOption(key: string, field: string, value: JsonValue | undefined, decoding: OptionsDecoding): boolean {
  const { target, withCache, providerKeys } = decoding;
  if (typeof value === "string") {
    const providerSeals = PROVIDER_SEALS.find(({ keys, fields }) => keys.includes(key) && Object.hasOwn(fields, field));
    const kind = providerSeals?.fields[field];
    if (providerSeals === undefined || kind === undefined) return false;
    const { dialect, provider } = providerSeals;
    const earlierSeal = target.seals?.find(
      (each) => each.dialect === dialect && each.kind === kind && each.provider === provider,
    );
    // The second key of a provider may repeat the value; a different value is no seal and stays residue.
    if (earlierSeal !== undefined && earlierSeal.value !== value) return false;
    if (providerSeals.keys.length > 1) providerKeys.add(key);
    if (earlierSeal !== undefined) return true;
    const seal: Seal = provider === undefined ? { dialect, kind, value } : { dialect, provider, kind, value };
    (target.seals ??= []).push(seal);
    return true;
  }
  const cache = withCache && key === "anthropic" && field === "cacheControl" ? readBreakpoint(value) : undefined;
  if (cache !== undefined) target.cache = cache;
  return cache !== undefined;
}

/** Escapes provider keys that begin with `$`, because form keys do too. */
function escapeKey(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}

function ensureSharedResidue(target: WithExtra): JsonObject {
  const extra = (target.extra ??= {});
  return (extra[SHARED_RESIDUE] ??= {});
}

/** Decodes the options of a part; returns false if they are not an object. Answers have no cache breakpoints. */
export function decodeProviderOptions(target: PartBase, options: JsonValue | undefined, withCache = true): boolean {
  if (!isObject(options)) return false;
  const decoding: OptionsDecoding = { target, withCache, providerKeys: new Set() };
  let isEmpty = true;
  for (const key of Object.keys(options)) {
    const fields = options[key];
    if (fields === undefined) continue;
    isEmpty = false;
    if (!isObject(fields)) {
      copyField(options, key, ensureSharedResidue(target), escapeKey(key));
      continue;
    }
    let rest: JsonObject | undefined;
    let isDecoded = false;
    for (const field of Object.keys(fields)) {
      if (fields[field] === undefined) continue;
      if (decodeOption(key, field, fields[field], decoding)) isDecoded = true;
      else copyField(fields, field, (rest ??= {}));
    }
    if (rest !== undefined || !isDecoded) setOwn(ensureSharedResidue(target), escapeKey(key), rest ?? {});
  }
  if (isEmpty) storeSharedForm(target, "empty", true);
  if (decoding.providerKeys.size > 0) storeProviderKeys(target, decoding.providerKeys);
  return true;
}

/** Stores the keys under which seals were found, if they are not the default ones. */
function storeProviderKeys(target: WithExtra, usedKeys: ReadonlySet<string>): void {
  const providerKeys = PROVIDER_SEALS.flatMap(({ keys }) => keys.filter((key) => usedKeys.has(key)));
  if (providerKeys.some((name) => PROVIDER_SEALS.every(({ keys }) => keys[0] !== name)))
    storeSharedForm(target, "names", providerKeys);
}

/** Stores the options of a message as residue of the message; a cache breakpoint moves to its last part. */
export function storeMessageOptions(
  target: WithExtra,
  options: JsonValue | undefined,
  last: PartBase | undefined,
): boolean {
  if (!isObject(options)) return false;
  let isDecoded = false;
  for (const key of Object.keys(options)) {
    const fields = options[key];
    if (fields === undefined) continue;
    const cache = key === "anthropic" && isObject(fields) ? readBreakpoint(fields["cacheControl"]) : undefined;
    if (cache === undefined || last === undefined || last.cache !== undefined || !isObject(fields)) {
      copyField(options, key, ensureSharedResidue(target), escapeKey(key));
      continue;
    }
    last.cache = cache;
    isDecoded = true;
    const rest = unknownFields(fields, CACHE_FIELDS);
    if (rest !== undefined) setOwn(ensureSharedResidue(target), key, rest);
  }
  if (isDecoded) storeSharedForm(target, "cache", "message");
  else if (target.extra?.[SHARED_RESIDUE] === undefined || Object.keys(target.extra[SHARED_RESIDUE]).length === 0)
    storeSharedForm(target, "empty", true);
  return true;
}

const CACHE_FIELDS: ReadonlySet<string> = new Set(["cacheControl"]);

/** Encodes the stored options and the current seals; returns undefined if there are none. */
export function encodeProviderOptions(target: PartBase, context: EncodeContext<SealLoss>): JsonObject | undefined {
  const shared = target.extra?.[SHARED_RESIDUE];
  if (shared === undefined && target.seals === undefined && target.cache === undefined) return undefined;
  const options: JsonObject = {};
  for (const key of Object.keys(shared ?? {})) {
    if (shared === undefined || (key.startsWith("$") && !key.startsWith("$$"))) continue;
    const name = key.startsWith("$") ? key.slice(1) : key;
    const fields = shared[key];
    // A copy, because seals are added to it.
    if (isObject(fields)) setOwn(options, name, copyFields(fields));
    else copyField(shared, key, options, name);
  }
  const providerKeys = readSharedForm(target, "names");
  target.seals?.forEach((seal, index) => {
    encodeSeal(options, seal, index, Array.isArray(providerKeys) ? providerKeys : [], context);
  });
  if (target.cache !== undefined)
    setOption(options, "anthropic", "cacheControl", { type: "ephemeral", ...target.cache });
  return Object.keys(options).length > 0 || readSharedForm(target, "empty") === true ? options : undefined;
}

function copyFields(fields: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const field of Object.keys(fields)) copyField(fields, field, copy);
  return copy;
}

/** Sets an option; returns false if residue occupies the field. */
function setOption(options: JsonObject, key: string, field: string, value: JsonValue): boolean {
  const fields = (options[key] ??= {});
  // Residue with this key shows that the wire had no seal there.
  if (!isObject(fields) || typeof fields[field] === "string") return false;
  fields[field] = value;
  return true;
}

function encodeSeal(
  options: JsonObject,
  seal: Seal,
  index: number,
  providerKeys: readonly JsonValue[],
  { report }: EncodeContext<SealLoss>,
): void {
  const sealField = findSealField(seal);
  const [defaultKey = "", ...others] = sealField?.seals.keys ?? [];
  const usedKeys = [defaultKey, ...others].filter((key) => providerKeys.includes(key));
  const keys = usedKeys.length > 0 ? usedKeys : [defaultKey];
  if (sealField === undefined || !keys.every((key) => setOption(options, key, sealField.field, seal.value))) {
    report.addLoss(seal.kind === "id" ? "id-not-portable" : "seal-not-portable", ["seals", index]);
    return;
  }
  if (seal.provider !== undefined && seal.provider !== sealField.seals.provider) {
    report.addLoss("metadata-dropped", ["seals", index, "provider"]);
  }
  if (seal.model !== undefined) report.addLoss("metadata-dropped", ["seals", index, "model"]);
}

/** Stores a form value that both formats share, such as the display fields of a tool. */
export function storeSharedForm(target: WithExtra, formKey: string, value: JsonValue): void {
  storeForm(target, SHARED_RESIDUE, formKey, value);
}

export function readSharedForm(target: WithExtra, formKey: string): JsonValue | undefined {
  return target.extra === undefined ? undefined : readForm(target, SHARED_RESIDUE)[formKey];
}

/** Reports a shared form value that the current format cannot have. */
export function reportSharedForm(target: WithExtra, formKey: string, context: EncodeContext<NotPortableLoss>): void {
  if (readSharedForm(target, formKey) !== undefined)
    context.report.addLoss("form-not-portable", ["extra", SHARED_RESIDUE, "$form", formKey]);
}

/** Reports shared residue of a value without a field for options. */
export function reportSharedResidue({ extra }: WithExtra, context: EncodeContext<NotPortableLoss>): void {
  const shared = extra?.[SHARED_RESIDUE];
  if (shared !== undefined) reportNotPortableResidue({ extra: { [SHARED_RESIDUE]: shared } }, context);
}

/** Reports the residue of other dialects; the shared residue belongs to both AI SDK formats. */
export function reportOtherResidue(target: WithExtra, context: EncodeContext<NotPortableLoss>): void {
  const { extra } = target;
  if (extra === undefined) return;
  if (extra[SHARED_RESIDUE] === undefined) return reportNotPortableResidue(target, context);
  const { [SHARED_RESIDUE]: _, ...others } = extra;
  reportNotPortableResidue({ extra: others }, context);
}
